"""Colours code that stands in the document, a slice at a time, when nothing else is going on."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument, QTextLayout

from .chunk import Chunk, ChunkKind
from .formats import GROUND, Ground
from .highlight import highlight
from .look import Look
from .window import Placed, TranscriptWindow
from .writer import utf16_length

PAUSE_MS = 15


class Coloring(QObject):
    """Owns the colouring of placed slices. Colours are the layout's, not the document's: no text moves."""

    def __init__(self, document: QTextDocument, window: TranscriptWindow, look: Look) -> None:
        super().__init__(document)
        self.look = look
        self._document = document
        self._window = window
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._color_next)

    def look_again(self) -> None:
        """Something was placed: colour what is not coloured yet."""
        if not self._timer.isActive() and self._next() is not None:
            self._timer.start()

    def _next(self) -> int | None:
        """The next placed slice of finished code without colours."""
        for index, placed in enumerate(self._window.placed):
            if not placed.is_colored and _is_code(placed):
                return index
        return None

    def _color_next(self) -> None:
        index = self._next()
        if index is None:
            return
        placed = self._window.placed[index]
        placed.is_colored = True
        assert isinstance(placed.segment, Chunk)
        source = self._window.messages[placed.place.message].source_of(placed.segment)
        self._apply(index, source.replace("\r\n", "\n"), placed.segment.language)
        self.look_again()

    def _apply(self, index: int, code: str, language: str) -> None:
        spans = highlight(code, language)
        if not spans:
            return
        rows = code.split("\n")
        formats: dict[int, list[QTextLayout.FormatRange]] = {}
        for span in spans:
            piece = QTextLayout.FormatRange()
            piece.start = utf16_length(rows[span.row][: span.start])
            piece.length = utf16_length(rows[span.row][span.start : span.start + span.length])
            shape = QTextCharFormat()
            shape.setForeground(QColor(self.look.syntax[span.kind]))
            piece.format = shape
            formats.setdefault(span.row, []).append(piece)
        start = self._window.start_of(index)
        block = self._first_line(start)
        row = 0
        editing = QTextCursor(self._document)
        editing.beginEditBlock()
        while block.isValid() and block.position() < self._window.start_of(index + 1):
            if row in formats:
                block.layout().setFormats(formats[row])
            row, block = row + 1, block.next()
        self._document.markContentsDirty(start, self._window.start_of(index + 1) - start)
        editing.endEditBlock()

    def _first_line(self, position: int) -> QTextBlock:
        block = self._document.findBlock(position)
        is_label = block.blockFormat().intProperty(GROUND) & Ground.CODE_TOP
        return block.next() if is_label else block


def _is_code(placed: Placed) -> bool:
    segment = placed.segment
    return (
        isinstance(segment, Chunk) and segment.kind is ChunkKind.CODE and segment.is_settled and bool(segment.language)
    )
