"""Writes elements into the document and takes them out again; the only place that edits it."""

from collections.abc import Sequence

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument, QTextTable

from .chunk import Voice
from .element import Element, Line, LineRole, Run, Table
from .formats import Formats

TOP_MARGIN = 32


class Writer:
    """Owns the editing of one document.

    The document is a row of elements and one empty block at the end. An element occupies the characters from the start
    of its first block up to the start of the next element's: positions are always block starts.
    """

    def __init__(self, document: QTextDocument, formats: Formats) -> None:
        self._document = document
        self.formats = formats
        self.clear()

    def clear(self) -> None:
        """Leave only the empty block at the end."""
        self._document.clear()
        frame = self._document.rootFrame().frameFormat()
        frame.setTopMargin(TOP_MARGIN)
        self._document.rootFrame().setFrameFormat(frame)
        QTextCursor(self._document).setBlockFormat(self.formats.end_block())

    def insert(self, position: int, elements: Sequence[Element], voice: Voice) -> list[int]:
        """Write `elements` in front of the block that starts at `position`; return how many characters each takes."""
        cursor = QTextCursor(self._document)
        cursor.setPosition(position)
        kept, shape = QTextBlockFormat(cursor.blockFormat()), QTextCharFormat(cursor.blockCharFormat())
        lengths: list[int] = []
        for element in elements:
            before = cursor.position()
            if isinstance(element, Line):
                self._insert_line(cursor, element, voice)
                cursor.insertBlock(kept, shape)
            else:
                self._insert_table(cursor, element, voice)
                cursor.setBlockFormat(kept)
            lengths.append(cursor.position() - before)
        return lengths

    def remove(self, position: int, length: int) -> None:
        """Take `length` characters out; both ends are starts of elements."""
        cursor = QTextCursor(self._document)
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()

    def replace_line(self, position: int, old: Element, new: Element, voice: Voice) -> int:
        """Turn the line `old` at `position` into `new`, touching only what differs; return its new length.

        What stays in front keeps cursors and selections where they are. Only where `can_morph(old, new)`.
        """
        assert isinstance(old, Line)
        assert isinstance(new, Line)
        same, shared = _shared(old.runs, new.runs)
        cursor = QTextCursor(self._document)
        cursor.setPosition(position)
        if _shape(old) != _shape(new):
            cursor.setBlockFormat(self.formats.of_line(new, voice))
        cursor.setPosition(position + shared)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._insert_runs(cursor, _after(new.runs, same), new, voice)
        return cursor.position() - position + 1

    def _insert_line(self, cursor: QTextCursor, line: Line, voice: Voice) -> None:
        cursor.setBlockFormat(self.formats.of_line(line, voice))
        cursor.setBlockCharFormat(self.formats.character(Run("").face, line.role, line.level, voice, False))
        self._insert_runs(cursor, line.runs, line, voice)

    def _insert_runs(self, cursor: QTextCursor, runs: Sequence[Run], line: Line, voice: Voice) -> None:
        for run in runs:
            cursor.insertText(run.text, self.formats.of_run(run, line.role, line.level, voice))

    def _insert_table(self, cursor: QTextCursor, table: Table, voice: Voice) -> None:
        cursor.setBlockFormat(QTextBlockFormat())
        grid: QTextTable = cursor.insertTable(len(table.rows), len(table.sides), self.formats.table())
        for row, cells in enumerate(table.rows):
            for column, runs in enumerate(cells):
                cell = grid.cellAt(row, column)
                below = len(table.rows) - 1 - row
                cell.setFormat(self.formats.cell_frame(column, rows_below=below, is_heading=row == 0))
                inside = cell.firstCursorPosition()
                inside.setBlockFormat(self.formats.cell(table.sides[column], voice))
                for run in runs:
                    inside.insertText(run.text, self.formats.of_run(run, LineRole.TEXT, 0, voice))
        cursor.setPosition(grid.lastPosition() + 1)


def _shape(line: Line) -> tuple[object, ...]:
    return (
        line.role,
        line.level,
        line.indent,
        line.quotes,
        line.gap,
        line.joins,
        line.block,
        line.ends_block,
        line.marker,
        line.number,
    )


def can_morph(old: Element, new: Element) -> bool:
    """Whether `replace_line` may turn `old` into `new`: both are lines of one font."""
    return isinstance(old, Line) and isinstance(new, Line) and (old.role, old.level) == (new.role, new.level)


def _shared(old: Sequence[Run], new: Sequence[Run]) -> tuple[int, int]:
    """How much of two lines is alike from the start: in characters, and in the document's UTF-16 units."""
    characters, text = 0, ""
    for one, other in zip(old, new, strict=False):
        if (one.face, one.href) != (other.face, other.href):
            break
        common = _common_prefix(one.text, other.text)
        text += other.text[:common]
        characters += common
        if common < len(one.text) or common < len(other.text):
            break
    return characters, utf16_length(text)


def _common_prefix(one: str, other: str) -> int:
    limit = min(len(one), len(other))
    if one[:limit] == other[:limit]:
        return limit
    return next(at for at in range(limit) if one[at] != other[at])


def _after(runs: Sequence[Run], characters: int) -> list[Run]:
    rest: list[Run] = []
    for run in runs:
        if characters < len(run.text):
            rest.append(Run(run.text[characters:], run.face, run.href))
        characters = max(0, characters - len(run.text))
    return rest


def utf16_length(text: str) -> int:
    """How many positions `text` takes in a document."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
