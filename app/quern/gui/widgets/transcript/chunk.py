"""The values of cutting a source: its pieces, and where the cutting goes on."""

import re
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice

from .fence import Fence

SLICE_LINES = 200
SLICE_CHARACTERS = 16_000
LINE_CHARACTERS = 12_000
"""A longer line is cut: nobody writes one, and laying it out in one piece would be felt."""
CODE_LINE_CHARACTERS = 2_000
"""The same for a line of code: colouring costs more than laying out."""
LINE_MARKS = 400
"""Reading Markdown costs by the mark: a line with more of them is cut too."""
LOOK_CHARACTERS = 2_000
"""How much of a line is looked at to tell what it is."""

_MARKS = "*_`~[]!$\\<&"
_MARK = re.compile(f"[{re.escape(_MARKS)}]")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？]")


class Voice(Enum):
    """Who speaks, which decides how the text is read and on what ground it stands."""

    USER = auto()
    ASSISTANT = auto()
    REASONING = auto()


class ChunkKind(Enum):
    """How a chunk is turned into lines."""

    PROSE = auto()
    VERBATIM = auto()
    CODE = auto()
    FORMULA = auto()


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a source: `source[start:end]` is what it shows.

    `preface` is parsed in front of it (a table's heading, repeated). `joins` marks a piece that continues the line of
    the chunk before. A code block's slices share `block`, the offset of its first character; the last has `is_last`.
    """

    kind: ChunkKind
    voice: Voice
    start: int
    end: int
    preface: str = ""
    joins: bool = False
    language: str = ""
    block: int = -1
    is_last: bool = True
    is_settled: bool = True


@dataclass(frozen=True, slots=True)
class Resume:
    """Where cutting goes on: the offset and what is open there."""

    offset: int = 0
    fence: Fence | None = None
    block: int = -1
    joins: bool = False
    preface: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """One step: the chunk that was cut off (None: only blank lines were passed) and where to go on."""

    chunk: Chunk | None
    resume: Resume


@dataclass(slots=True)
class SourceText:
    """A growing source, read by line; offsets count characters."""

    text: str = ""

    def line_end(self, offset: int) -> int:
        """The offset after the line break that ends the line at `offset`, or the end of the text."""
        found = self.text.find("\n", offset)
        return len(self.text) if found < 0 else found + 1

    def line(self, offset: int) -> str:
        """The line at `offset` without its break, as much of it as tells what it is."""
        return self.line_to(offset, self.line_end(offset))

    def line_to(self, offset: int, end: int) -> str:
        """`line(offset)` where `line_end(offset)` is known to be `end`."""
        limit = offset + LOOK_CHARACTERS + 2
        return self.text[offset : end if end < limit else limit].rstrip("\r\n")

    def is_blank(self, offset: int, end: int) -> bool:
        """Whether nothing but white space stands there."""
        line = self.line_to(offset, end)
        return (not line or line.isspace()) and not self.text[offset + len(line) : end].strip()

    def is_whole(self, end: int) -> bool:
        """Whether the line that ends at `end` has its line break already."""
        return self.text[end - 1 : end] == "\n"

    def is_long(self, offset: int, end: int, limit: int = LINE_CHARACTERS) -> bool:
        """Whether a line is longer than `limit` and has to be cut into slices."""
        return end - offset > limit + 2

    def is_dense(self, offset: int, end: int) -> bool:
        """Whether a line of Markdown has so many marks that it has to be cut."""
        return end - offset > LINE_MARKS and sum(self.text.count(mark, offset, end) for mark in _MARKS) > LINE_MARKS

    def split(self, offset: int, limit: int = LINE_CHARACTERS) -> int:
        """Where a long line at `offset` is cut, with the break least visible: the last place in its last quarter
        where a sentence ends, else where a word does."""
        return self._break_in(offset, offset + limit)

    def split_dense(self, offset: int, end: int) -> int:
        """Where a long or dense line of Markdown is cut."""
        limit = min(end, offset + LINE_CHARACTERS)
        marks = islice(_MARK.finditer(self.text, offset, limit), LINE_MARKS, None)
        return self._break_in(offset, next((found.start() for found in marks), limit))

    def _break_in(self, offset: int, limit: int) -> int:
        earliest = offset + (limit - offset) * 3 // 4
        sentences = [found.end() for found in _SENTENCE_END.finditer(self.text, earliest, limit)]
        if sentences:
            return sentences[-1]
        space = self.text.rfind(" ", earliest, limit)
        return limit if space < 0 else space + 1
