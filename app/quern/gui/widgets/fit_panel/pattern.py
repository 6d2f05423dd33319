"""Brushes by which parts can be told apart without their colours: lines and dots over a plain ground."""

from functools import lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QTransform

from quern.gui.theme import current_colors
from quern.gui.theme.part_colors import part_colors

from .segment import FREE, MARGIN

TILE = 8
LINE_WIDTH = 1.25
LINE_ALPHA = 150
_RISING, _FALLING = (
    ((-1, 1, 1, -1), (0, TILE, TILE, 0), (TILE - 1, TILE + 1, TILE + 1, TILE - 1)),
    (
        (-1, TILE - 1, 1, TILE + 1),
        (0, 0, TILE, TILE),
        (TILE - 1, -1, TILE + 1, 1),
    ),
)
_UPRIGHT, _FLAT = ((TILE / 2, 0, TILE / 2, TILE),), ((0, TILE / 2, TILE, TILE / 2),)
_DOTS = ((2, 2, 2, 2.2), (6, 6, 6, 6.2))
Strokes = tuple[tuple[float, float, float, float], ...]
_STROKES: dict[str, Strokes] = {
    "kv": _RISING,
    "recurrent": _FALLING,
    "compute": _DOTS,
    "output": _UPRIGHT,
    "projector": _FLAT,
    "draft": _RISING + _FALLING,
    "adapters": _UPRIGHT + _FLAT,
    "shared": _RISING,
    "own": _FALLING,
    MARGIN: _RISING,
}


def part_brush(key: str, ratio: float) -> QBrush:
    """Return how the part `key` is filled, sharp at the device `ratio`."""
    colors = current_colors()
    if key == FREE:
        return QBrush(QColor(colors.sunken))
    if key == MARGIN:
        return _tile(colors.sunken, colors.outline, _STROKES[key], ratio)
    return _tile(part_colors()[key], colors.surface, _STROKES.get(key, ()), ratio)


def over_brush(ratio: float) -> QBrush:
    """Return what lies over everything that has no room: red lines that let the part below be seen."""
    return _tile("", current_colors().danger, _RISING, ratio)


@lru_cache(maxsize=64)
def _tile(ground: str, ink: str, strokes: Strokes, ratio: float) -> QBrush:
    if not strokes:
        return QBrush(QColor(ground))
    pixmap = QPixmap(round(TILE * ratio), round(TILE * ratio))
    pixmap.fill(QColor(ground) if ground else Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(pixmap.width() / TILE, pixmap.height() / TILE)
    color = QColor(ink)
    color.setAlpha(LINE_ALPHA if ground else 255)
    painter.setPen(QPen(color, LINE_WIDTH if ground else 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    for x1, y1, x2, y2 in strokes:
        painter.drawLine(QPointF(x1, y1), QPointF(x2, y2))
    painter.end()
    brush = QBrush(pixmap)
    brush.setTransform(QTransform.fromScale(TILE / pixmap.width(), TILE / pixmap.height()))
    return brush
