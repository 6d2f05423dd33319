"""A slider over uneven stops, with a mark where a limit lies: steps are close together where small numbers matter."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from quern.gui.theme import current_colors

from .pattern import over_brush

KNOB = 16
GROOVE = 4
MARK_REACH = 8
PAGE = 8


class StopSlider(QSlider):
    """Owns its stops. A person moves from stop to stop; `setValue` may put it anywhere between the ends.

    `mark` is the largest value that is possible now: the groove behind it is hatched. None: there is no such limit.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._stops: tuple[int, ...] = (0,)
        self._mark: int | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def stops(self) -> tuple[int, ...]:
        """The values at which a moving hand or key stops, ascending."""
        return self._stops

    @property
    def mark(self) -> int | None:
        """Where the limit lies."""
        return self._mark

    def show_stops(self, stops: Sequence[int]) -> None:
        """Use `stops` (ascending, at least one)."""
        if tuple(stops) != self._stops:
            self._stops = tuple(stops)
            self.setRange(self._stops[0], self._stops[-1])
            self.update()

    def show_mark(self, mark: int | None) -> None:
        """Draw the limit at `mark`."""
        if mark != self._mark:
            self._mark = mark
            self.update()

    def share_of(self, value: int) -> float:
        """Return where `value` lies between the ends, 0..1: stops are evenly spaced."""
        stops = self._stops
        if len(stops) < 2:
            return 0.0
        value = min(max(value, stops[0]), stops[-1])
        index = min(bisect_right(stops, value) - 1, len(stops) - 2)
        inside = (value - stops[index]) / (stops[index + 1] - stops[index])
        return (index + inside) / (len(stops) - 1)

    def stop_at(self, x: float) -> int:
        """Return the stop nearest to `x` pixels from the widget's left."""
        room = max(1.0, float(self.width() - KNOB))
        share = (x - KNOB / 2) / room
        if self._is_mirrored():
            share = 1.0 - share
        return self._stops[round(min(1.0, max(0.0, share)) * (len(self._stops) - 1))]

    def step(self, n_stops: int) -> None:
        """Move by `n_stops`; from between two stops, first to the next one."""
        stops, value = self._stops, self.value()
        index = bisect_left(stops, value)
        is_between = index == len(stops) or stops[index] != value
        target = index + n_stops - (1 if is_between and n_stops > 0 else 0)
        self.setValue(stops[min(max(target, 0), len(stops) - 1)])

    def sizeHint(self) -> QSize:
        """As high as its knob and its mark."""
        return QSize(160, KNOB + 8)

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(80, KNOB + 8)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by keys."""
        more, less = Qt.Key.Key_Right, Qt.Key.Key_Left
        if self._is_mirrored():
            more, less = less, more
        steps = {
            more: 1,
            less: -1,
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_PageUp: PAGE,
            Qt.Key.Key_PageDown: -PAGE,
            Qt.Key.Key_Home: -len(self._stops),
            Qt.Key.Key_End: len(self._stops),
        }
        wanted = steps.get(Qt.Key(event.key()))
        if wanted is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        else:
            self.step(wanted)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Jump to the pointer."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setSliderPosition(self.stop_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if self.isSliderDown():
            self.setSliderPosition(self.stop_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        del event
        self.setSliderDown(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page unless the control has the focus."""
        if self.hasFocus() and event.angleDelta().y():
            self.step(1 if event.angleDelta().y() > 0 else -1)
        else:
            event.ignore()

    def paintEvent(self, _event: QPaintEvent) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Draw."""
        colors = current_colors()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle, knob = self.height() / 2, self._x(self.value())
        accent = colors.accent if self.isEnabled() else colors.outline
        painter.setPen(Qt.PenStyle.NoPen)
        self._draw_groove(painter, 0.0, 1.0, QColor(colors.hairline))
        if self._mark is not None and self._mark < self._stops[-1]:
            share = self.share_of(self._mark) if self._mark >= self._stops[0] else 0.0
            painter.fillRect(self._piece(share, 1.0), over_brush(self.devicePixelRatioF()))
            if self.value() > self._mark:
                self._draw_groove(painter, share, self.share_of(self.value()), QColor(colors.danger))
        reach = self.value() if self._mark is None else min(self.value(), self._mark)
        if reach >= self._stops[0]:
            self._draw_groove(painter, 0.0, self.share_of(reach), QColor(accent))
        self._draw_mark(painter, middle)
        painter.setBrush(QColor(colors.raised))
        painter.setPen(QPen(QColor(colors.text if self.hasFocus() else accent), 2.0))
        radius = KNOB / 2 - 1.5
        painter.drawEllipse(QPointF(knob, middle), radius, radius)
        if self.hasFocus():
            painter.setPen(QPen(QColor(accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(knob, middle), radius + 2, radius + 2)

    def _draw_mark(self, painter: QPainter, middle: float) -> None:
        if self._mark is None or not self._stops[0] <= self._mark < self._stops[-1]:
            return
        x = self._x(self._mark)
        painter.setPen(QPen(QColor(current_colors().text), 2.0))
        painter.drawLine(QPointF(x, middle - MARK_REACH), QPointF(x, middle + MARK_REACH))

    def _draw_groove(self, painter: QPainter, begin: float, end: float, color: QColor) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRoundedRect(self._piece(begin, end), GROOVE / 2, GROOVE / 2)

    def _piece(self, begin: float, end: float) -> QRectF:
        """Return the groove between two shares; at the ends it reaches as far as the knob does."""
        left, right = (self._at(share) for share in ((end, begin) if self._is_mirrored() else (begin, end)))
        edges = (0.0, float(self.width()))
        if begin <= 0.0:
            left, right = (left, edges[1]) if self._is_mirrored() else (edges[0], right)
        if end >= 1.0:
            left, right = (edges[0], right) if self._is_mirrored() else (left, edges[1])
        return QRectF(left, self.height() / 2 - GROOVE / 2, right - left, GROOVE)

    def _x(self, value: int) -> float:
        return self._at(self.share_of(value))

    def _at(self, share: float) -> float:
        room = max(0, self.width() - KNOB)
        return KNOB / 2 + (1.0 - share if self._is_mirrored() else share) * room

    def _is_mirrored(self) -> bool:
        return self.layoutDirection() is Qt.LayoutDirection.RightToLeft
