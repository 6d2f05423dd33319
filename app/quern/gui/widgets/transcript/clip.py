"""Copied text: what is selected, as a person would have typed it."""

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextCursor, QTextTable

from .display import LINE_BREAK
from .formats import GROUND, MARKER, SEPARATION, Ground, Separation


def clean_text(cursor: QTextCursor) -> str:
    """The selected text: list markers in front, cells separated by tabs, the small lines around messages left out.

    A selection inside a single small line is copied as it is.
    """
    if not cursor.hasSelection():
        return ""
    first = cursor.document().findBlock(cursor.selectionStart())
    last = cursor.document().findBlock(cursor.selectionEnd())
    if first == last:
        return _part(first, cursor).replace(LINE_BREAK, "\n")
    text = ""
    row: tuple[int, int] | None = None
    for block in _blocks(first, last):
        shape = block.blockFormat()
        if shape.intProperty(GROUND) & Ground.CAPTION:
            continue
        cell = _row_of(block)
        marker = shape.stringProperty(MARKER) if cursor.selectionStart() <= block.position() else ""
        separator = _separator(block) if cell is None or cell != row else "\t"
        text += (separator if text else "") + (f"{marker} " if marker else "") + _part(block, cursor)
        row = cell
    return text.replace(LINE_BREAK, "\n")


def _blocks(first: QTextBlock, last: QTextBlock) -> Iterator[QTextBlock]:
    block = first
    while block.isValid() and block.position() <= last.position():
        if block.text() or not _is_hidden(block):
            yield block
        block = block.next()


def _is_hidden(block: QTextBlock) -> bool:
    """Empty blocks that only hold a table or end the document."""
    return not block.blockFormat().hasProperty(SEPARATION)


def _part(block: QTextBlock, cursor: QTextCursor) -> str:
    """The selected part of one block; positions count UTF-16 units."""
    start = max(0, cursor.selectionStart() - block.position())
    stop = cursor.selectionEnd() - block.position()
    text = block.text()
    if text.isascii():
        return text[start:stop]
    return text.encode("utf-16-le", "surrogatepass")[start * 2 : max(0, stop) * 2].decode("utf-16-le", "replace")


def _row_of(block: QTextBlock) -> tuple[int, int] | None:
    """The table row that `block` stands in: the table's start and the row."""
    inside = QTextCursor(block)
    table = inside.currentFrame()
    return (table.firstPosition(), table.cellAt(inside).row()) if isinstance(table, QTextTable) else None


def _separator(block: QTextBlock) -> str:
    separation = block.blockFormat().intProperty(SEPARATION)
    if separation == Separation.NOTHING:
        return ""
    return "\n\n" if separation == Separation.BLANK_LINE else "\n"
