"""The key to the bars: which pattern is which part, and its bytes on every device."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from quern.base.units import format_bytes
from quern.gui.theme import GRID, Colors, current_colors

from .legend_grid import SWATCH, LegendGrid, LegendSizes
from .pattern import part_brush
from .segment import ORDER, DeviceView

SMALL = 0.9
UNLIT = 0.75
RADIUS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One part: its name and bytes, and device by device its sentences and figures ("" where a device has none)."""

    key: str
    name: str
    n_bytes: int
    sentences: tuple[str, ...]
    figures: tuple[str, ...]


def rows_of(views: Sequence[DeviceView]) -> tuple[Row, ...]:
    """Return a row for every part that some device holds, in the order of the bars."""
    held = [{segment.key: segment for segment in view.segments} for view in views]
    rows: list[Row] = []
    for key in ORDER:
        parts = [segments.get(key) for segments in held]
        there = [part for part in parts if part is not None]
        if there:
            figures = tuple("" if part is None else format_bytes(part.n_bytes) for part in parts)
            sentences = tuple(part.sentence for part in there)
            rows.append(Row(key, there[0].name, sum(part.n_bytes for part in there), sentences, figures))
    return tuple(rows)


class Legend(QWidget):
    """Owns the key: cells side by side for one device, a column for each of several, one for all where those are too
    many. `pointed` carries a part's key.
    """

    pointed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._views: tuple[DeviceView, ...] = ()
        self._rows: tuple[Row, ...] = ()
        self._lit = ""
        self._sizes: LegendSizes | None = None
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is shown."""
        return self._rows

    def show_devices(self, views: Sequence[DeviceView]) -> None:
        """Show the parts of `views`."""
        before = [row.name for row in self._rows], len(self._views)
        self._views, self._rows = tuple(views), rows_of(views)
        self.setAccessibleName("; ".join(f"{row.name} {' + '.join(filter(None, row.figures))}" for row in self._rows))
        if ([row.name for row in self._rows], len(views)) != before:
            self._forget_sizes()
        self.update()

    def light(self, key: str) -> None:
        """Draw the part `key` strongly."""
        if key != self._lit:
            self._lit = key
            self.update()

    def hasHeightForWidth(self) -> bool:
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return how high `width` pixels make it."""
        return self._grid(width).height

    def sizeHint(self) -> QSize:
        """The size at the width that is there now."""
        return QSize(24 * GRID, self.heightForWidth(max(1, self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns come and go with the width."""
        super().resizeEvent(event)
        self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._forget_sizes()

    def paintEvent(self, _event: QPaintEvent) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Draw."""
        painter = QPainter(self)
        painter.setFont(self._font())
        grid = self._grid(self.width())
        if grid.is_table:
            self._draw_heads(painter, grid)
        for row, cell in zip(self._rows, grid.cells(), strict=True):
            self._draw_row(painter, grid, row, cell)

    def event(self, event: QEvent) -> bool:
        """Explain the part under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self._at(event.pos().x(), event.pos().y())
            if row is not None:
                QToolTip.showText(event.globalPos(), "\n".join(self._explained(row)), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at a part."""
        row = self._at(event.position().toPoint().x(), event.position().toPoint().y())
        self.pointed.emit("" if row is None else row.key)

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        super().leaveEvent(event)
        self.pointed.emit("")

    def _explained(self, row: Row) -> list[str]:
        if len(self._views) == 1:
            return list(row.sentences)
        holders = [view.label for view, figure in zip(self._views, row.figures, strict=True) if figure]
        return [f"{label}: {sentence}" for label, sentence in zip(holders, row.sentences, strict=True)]

    def _at(self, x: int, y: int) -> Row | None:
        cells = zip(self._rows, self._grid(self.width()).cells(), strict=True)
        return next((row for row, cell in cells if self._mirrored(cell).contains(x, y)), None)

    def _draw_heads(self, painter: QPainter, grid: LegendGrid) -> None:
        painter.setPen(QColor(current_colors().muted))
        heads = [view.short_label for view in self._views] if grid.n_figures > 1 else [self.tr("All")]
        for head, cell in zip(heads, grid.figures(grid.head), strict=True):
            shown = painter.fontMetrics().elidedText(head, Qt.TextElideMode.ElideRight, cell.width())
            painter.drawText(self._mirrored(cell), _end(self), shown)

    def _draw_row(self, painter: QPainter, grid: LegendGrid, row: Row, cell: QRect) -> None:
        painter.setOpacity(1.0 if self._lit in ("", row.key) else UNLIT)
        swatch = QRect(cell.left(), cell.center().y() - SWATCH // 2 + 1, SWATCH, SWATCH)
        colors = current_colors()
        drawn = _swatch(row.key, colors, self.devicePixelRatioF())
        painter.drawPixmap(self._mirrored(swatch).topLeft(), drawn)
        places = grid.figures(cell)
        begin = cell.left() + SWATCH + GRID
        name = QRect(begin, cell.top(), places[0].left() - begin, cell.height())
        painter.setPen(QColor(colors.text))
        painter.setLayoutDirection(self.layoutDirection())
        painter.drawText(self._mirrored(name), _begin(self), row.name)
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # a figure stands before its unit everywhere
        figures = row.figures if grid.n_figures > 1 or len(row.figures) == 1 else (format_bytes(row.n_bytes),)
        for figure, place in zip(figures, places, strict=True):
            painter.drawText(self._mirrored(place), _end(self), figure)
        painter.setOpacity(1.0)

    def _grid(self, width: int) -> LegendGrid:
        if self._sizes is None:
            self._sizes = LegendSizes.of(self._font(), [row.name for row in self._rows])
        return LegendGrid(n_rows=len(self._rows), n_devices=len(self._views), width=width, sizes=self._sizes)

    def _forget_sizes(self) -> None:
        self._sizes = None
        self.updateGeometry()

    def _mirrored(self, rect: QRect) -> QRect:
        """Return where `rect`, counted from the left, is drawn."""
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            return QRect(self.width() - rect.left() - rect.width(), rect.top(), rect.width(), rect.height())
        return rect

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * SMALL)
        return font


def _begin(widget: QWidget) -> int:
    is_mirrored = widget.layoutDirection() is Qt.LayoutDirection.RightToLeft
    side = Qt.AlignmentFlag.AlignRight if is_mirrored else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)


def _end(widget: QWidget) -> int:
    is_mirrored = widget.layoutDirection() is Qt.LayoutDirection.RightToLeft
    side = Qt.AlignmentFlag.AlignLeft if is_mirrored else Qt.AlignmentFlag.AlignRight
    return int(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)


@lru_cache(maxsize=64)
def _swatch(key: str, colors: Colors, ratio: float) -> QPixmap:
    """Return the sample of a part's pattern; drawn once, because a patterned, rounded box costs as much as a row."""
    pixmap = QPixmap(round(SWATCH * ratio), round(SWATCH * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(colors.outline))
    painter.setBrush(part_brush(key, ratio))
    painter.drawRoundedRect(QRectF(0.5, 0.5, SWATCH - 1, SWATCH - 1), RADIUS, RADIUS)
    painter.end()
    return pixmap
