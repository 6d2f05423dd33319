"""Paints what lies behind the text: a person's tinted block, code grounds, quote bars, rules and list markers."""

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTextBlock, QTextDocument

from .formats import (
    CHECKED,
    CODE_PAD,
    DISC,
    GROUND,
    GROUND_PAD,
    MARKER,
    PAD,
    QUOTE_STEP,
    QUOTES,
    UNCHECKED,
    Ground,
)
from .look import Look

RADIUS = 8.0
BAR = 3.0


class _Seen:
    """One block with its rectangle (document coordinates) and what is painted behind it."""

    __slots__ = ("block", "ground", "rect")

    def __init__(self, block: QTextBlock, rect: QRectF) -> None:
        self.block = block
        self.rect = rect
        self.ground = block.blockFormat().intProperty(GROUND)


class GroundPainter:
    """Paints the grounds of the blocks that are in view."""

    def __init__(self, document: QTextDocument) -> None:
        self._document = document

    def paint(self, painter: QPainter, look: Look, first: QTextBlock, band: QRectF) -> None:
        """Paint behind `first` (the topmost block in `band`) and everything below it down to the bottom of `band`.

        `painter` draws in document coordinates; `band` is the part of the document to paint, as wide as the document.
        """
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen = self._seen(first, band.bottom())
        width = band.width()
        self._fill(painter, seen, Ground.USER, QColor(look.user_ground), QRectF(0, GROUND_PAD, width, 0))
        self._fill(painter, seen, Ground.CODE, QColor(look.code_ground), QRectF(PAD, CODE_PAD, width - 2 * PAD, 0))
        for above, one in pairwise(seen):
            if one.ground & Ground.BARRED:
                self._draw_bars(painter, look, above, one, width)
            if one.ground & Ground.MARKED:
                self._mark(painter, look, one)
            if one.ground & Ground.RULE:
                painter.setPen(QPen(QColor(look.line), 1))
                painter.drawLine(QPointF(PAD, one.rect.center().y()), QPointF(width - PAD, one.rect.center().y()))

    def _seen(self, first: QTextBlock, bottom: float) -> list[_Seen]:
        """The blocks in view, with two above and one below, so that a ground that goes on has no edge in view.

        The topmost is there twice: pairs then begin with it.
        """
        block = first
        for _ in range(2):
            block = block.previous() if block.previous().isValid() else block
        layout = self._document.documentLayout()
        seen = [_Seen(block, layout.blockBoundingRect(block))]
        while block.isValid():
            one = _Seen(block, layout.blockBoundingRect(block))
            seen.append(one)
            if one.rect.top() > bottom:
                break
            block = block.next()
        return seen

    def _fill(self, painter: QPainter, seen: list[_Seen], ground: int, color: QColor, frame: QRectF) -> None:
        """Fill behind each unbroken run of blocks on `ground`; `frame` gives left, the padding (as top) and width."""
        top_mark = Ground.MESSAGE_TOP if ground == Ground.USER else Ground.CODE_TOP
        rects: list[QRectF] = []
        goes_on = False
        for one in seen:
            if not one.ground & ground:
                goes_on = False
                continue
            left = frame.left() if ground == Ground.USER else _left(one, frame.left())
            rect = QRectF(left, one.rect.top() - frame.top(), frame.right() - left, one.rect.height() + 2 * frame.top())
            if goes_on and not one.ground & top_mark:
                rects[-1] = rects[-1].united(rect)
            else:
                rects.append(rect)
            goes_on = True
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for rect in rects:
            painter.drawRoundedRect(rect, RADIUS, RADIUS)

    def _draw_bars(self, painter: QPainter, look: Look, above: _Seen, one: _Seen, width: float) -> None:
        """The bars beside quoted and reasoned text, unbroken from line to line."""
        is_right = one.block.textDirection() is Qt.LayoutDirection.RightToLeft
        goes_on = bool(above.ground & Ground.BARRED)
        top = above.rect.bottom() if goes_on else one.rect.top()
        for bar in range(_bars(one)):
            at = PAD + bar * QUOTE_STEP
            left = width - at - BAR if is_right else at
            start = top if bar < _bars(above) else one.rect.top()
            painter.fillRect(QRectF(left, start, BAR, one.rect.bottom() - start), QColor(look.line))

    def _mark(self, painter: QPainter, look: Look, one: _Seen) -> None:
        """A list marker in front of the block's first line, on the side where its text begins."""
        marker = one.block.blockFormat().stringProperty(MARKER)
        line = one.block.layout().lineAt(0)
        if not line.isValid():
            return
        is_right = one.block.textDirection() is Qt.LayoutDirection.RightToLeft
        origin = one.block.layout().position()
        edge = origin.x() + line.x() + (line.width() + 8 if is_right else -8)
        baseline = origin.y() + line.y() + line.ascent()
        painter.setPen(QColor(look.muted))
        painter.setFont(look.font)
        size = painter.fontMetrics().xHeight()
        if marker == DISC:
            painter.setBrush(QColor(look.muted))
            radius = max(2.0, size * 0.28)
            painter.drawEllipse(QPointF(edge + (6 if is_right else -6), baseline - size / 2), radius, radius)
        elif marker in (CHECKED, UNCHECKED):
            self._check_box(
                painter, look, QPointF(edge if is_right else edge - size * 1.6, baseline), size * 1.6, marker
            )
        else:
            span = painter.fontMetrics().horizontalAdvance(marker)
            painter.drawText(QPointF(edge if is_right else edge - span, baseline), marker)

    def _check_box(self, painter: QPainter, look: Look, corner: QPointF, size: float, marker: str) -> None:
        painter.setPen(QPen(QColor(look.muted), 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        box = QRectF(corner.x(), corner.y() - size * 0.9, size, size)
        painter.drawRoundedRect(box, 2.5, 2.5)
        if marker == CHECKED:
            painter.setPen(QPen(QColor(look.link), 1.8))
            left, middle, right = (0.22, 0.52), (0.43, 0.74), (0.80, 0.26)
            points = [QPointF(box.x() + size * x, box.y() + size * y) for x, y in (left, middle, right)]
            painter.drawPolyline(points)


def _bars(one: _Seen) -> int:
    """How many bars stand beside a block."""
    is_reasoning = one.ground & Ground.REASONING and one.ground & Ground.BARRED
    return one.block.blockFormat().intProperty(QUOTES) + (1 if is_reasoning else 0)


def _left(one: _Seen, least: float) -> float:
    """Where a code ground begins: code inside a list or quote is set in."""
    return max(least, one.block.blockFormat().leftMargin() - CODE_PAD - 4)
