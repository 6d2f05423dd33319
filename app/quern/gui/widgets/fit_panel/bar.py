"""One stacked bar: what a device's memory would hold, part by part, and what has no room."""

from functools import lru_cache

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from quern.gui.theme import current_colors

from .pattern import over_brush, part_brush
from .segment import DeviceView, Segment

THINNEST = 3.0
MARK = 3  # how far the device's end stands out over and under the bar
RADIUS = 4.0
VEIL = 0.6  # how much of a part without room is hidden under the hatch's ground
_NOTHING = DeviceView(device="", label="", total=0, left=0, segments=())


class DeviceBar(QWidget):
    """Owns one bar. Hover and the arrow keys walk through its parts; `pointed` carries the key of one, "" for none."""

    pointed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = _NOTHING
        self._chosen: int | None = None
        self._lit = ""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def view(self) -> DeviceView:
        """The device that is shown."""
        return self._view

    def show_device(self, view: DeviceView) -> None:
        """Show `view`; the part that was walked to stays chosen where it is still there."""
        if self._chosen is not None and self._chosen >= len(view.segments):
            self._chosen = None
        self._view = view
        self.setAccessibleName(view.label)
        self.setAccessibleDescription(view.reading if self._chosen is None else view.segments[self._chosen].sentence)
        self.update()

    def light(self, key: str) -> None:
        """Draw the parts `key` strongly and the others faintly; "" draws all alike."""
        if key != self._lit:
            self._lit = key
            self.update()

    def spans(self) -> list[tuple[Segment, float, float]]:
        """Return every segment with where it begins and ends, in pixels from the bar's beginning."""
        segments, width = self._view.segments, float(self.width())
        wanted = [max(THINNEST, segment.n_bytes / self._view.scale * width) for segment in segments]
        excess = sum(wanted) - self._reach() * width
        if wanted:
            largest = max(range(len(wanted)), key=lambda index: wanted[index])
            wanted[largest] = max(THINNEST, wanted[largest] - excess)
        begin, found = 0.0, list[tuple[Segment, float, float]]()
        for segment, length in zip(segments, wanted, strict=True):
            found.append((segment, begin, begin + length))
            begin += length
        return found

    def sizeHint(self) -> QSize:
        """As high as a line of text."""
        return QSize(160, max(20, self.fontMetrics().height()) + 2 * MARK)

    def paintEvent(self, _event: QPaintEvent) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Draw."""
        colors = current_colors()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QRectF(self.rect()).adjusted(0, MARK, 0, -MARK)
        outline = QPainterPath()
        outline.addRoundedRect(ground, RADIUS, RADIUS)
        painter.fillPath(outline, QColor(colors.sunken))
        painter.setClipPath(outline)
        for segment, begin, end in self.spans():
            painter.setOpacity(1.0 if self._lit in ("", segment.key) else 0.35)
            painter.fillRect(self._rect(begin, end - 1, ground), part_brush(segment.key, self.devicePixelRatioF()))
        painter.setOpacity(1.0)
        capacity = self._view.total / self._view.scale * self.width()
        if self._view.over:
            beyond = self._rect(capacity, self.width(), ground)
            painter.setOpacity(VEIL)
            painter.fillRect(beyond, QColor(colors.danger_tint))
            painter.setOpacity(1.0)
            painter.fillRect(beyond, over_brush(self.devicePixelRatioF()))
        painter.setClipping(False)
        frame = self._rect(0, capacity, ground).toAlignedRect()
        if frame.isEmpty():
            return
        drawn = _frame(frame.width(), frame.height(), colors.outline, self.devicePixelRatioF())
        painter.drawPixmap(frame.topLeft(), drawn)
        if self._view.over:
            painter.fillRect(self._rect(capacity - 1, capacity + 1, QRectF(self.rect())), QColor(colors.text))
        self._draw_focus(painter, ground)

    def event(self, event: QEvent) -> bool:
        """Explain the part under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            found = self._at(event.pos().x())
            if found is not None:
                QToolTip.showText(event.globalPos(), self._view.segments[found].sentence, self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at a part."""
        found = self._at(event.position().toPoint().x())
        self.pointed.emit("" if found is None else self._view.segments[found].key)

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        super().leaveEvent(event)
        self.pointed.emit("")

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Choose nothing."""
        super().focusOutEvent(event)
        self.choose(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk through the parts."""
        last = len(self._view.segments) - 1
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        onward, back = (Qt.Key.Key_Left, Qt.Key.Key_Right) if is_mirrored else (Qt.Key.Key_Right, Qt.Key.Key_Left)
        if last < 0 or event.key() not in (onward, back, Qt.Key.Key_Home, Qt.Key.Key_End):
            super().keyPressEvent(event)
            return
        at = -1 if self._chosen is None else self._chosen
        steps = {onward: min(last, at + 1), back: max(0, at - 1), Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        self.choose(steps[Qt.Key(event.key())])

    def choose(self, index: int | None) -> None:
        """Walk to the part at `index`, None to none."""
        if index == self._chosen:
            return
        self._chosen = index
        self.update()
        if index is None:
            self.setAccessibleDescription(self._view.reading)
            QToolTip.hideText()
            self.pointed.emit("")
            return
        segment, begin, end = self.spans()[index]
        self.setAccessibleDescription(segment.sentence)
        self.pointed.emit(segment.key)
        middle = self._rect(begin, end, QRectF(self.rect())).center().toPoint()
        QToolTip.showText(self.mapToGlobal(QPoint(middle.x(), self.height() // 2)), segment.sentence, self)

    def _draw_focus(self, painter: QPainter, ground: QRectF) -> None:
        if not self.hasFocus():
            return
        colors = current_colors()
        rect = ground.adjusted(-0.5, 0, 0.5, 0)
        if self._chosen is not None:
            _, begin, end = self.spans()[self._chosen]
            rect = self._rect(begin, max(end - 1, begin + THINNEST), ground)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colors.text), 2.0))
        painter.drawRoundedRect(rect.adjusted(1, -MARK + 1, -1, MARK - 1), RADIUS, RADIUS)

    def _reach(self) -> float:
        """The share of the bar's length that segments fill; all of it, but for sums that do not add up."""
        return min(1.0, sum(segment.n_bytes for segment in self._view.segments) / self._view.scale)

    def _at(self, x: int) -> int | None:
        from_begin = self.width() - x if self.layoutDirection() is Qt.LayoutDirection.RightToLeft else x
        spans = enumerate(self.spans())
        return next((index for index, (_, begin, end) in spans if begin <= from_begin < end), None)

    def _rect(self, begin: float, end: float, ground: QRectF) -> QRectF:
        """Return the piece of `ground` between two distances from the bar's beginning."""
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            begin, end = self.width() - end, self.width() - begin
        return QRectF(begin, ground.top(), max(0.0, end - begin), ground.height())


@lru_cache(maxsize=32)
def _frame(width: int, height: int, color: str, ratio: float) -> QPixmap:
    """Return the fine line around what a device has, by which free memory is seen on every ground.

    Kept, because a smooth rounded line around a long bar takes longer to draw than everything in it.
    """
    pixmap = QPixmap(round(width * ratio), round(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(color), 1.0))
    painter.drawRoundedRect(QRectF(0.5, 0.5, width - 1, height - 1), RADIUS, RADIUS)
    painter.end()
    return pixmap
