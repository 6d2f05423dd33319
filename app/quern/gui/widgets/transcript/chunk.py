"""The values of cutting a source: its pieces, and where the cutting goes on."""

from dataclasses import dataclass
from enum import Enum, auto

from .fence import Fence

SLICE_LINES = 200
SLICE_CHARACTERS = 2_000


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
        """The line at `offset` without its break, cut where a slice would be cut."""
        return self.line_to(offset, self.line_end(offset))

    def line_to(self, offset: int, end: int) -> str:
        """`line(offset)` where `line_end(offset)` is known to be `end`."""
        limit = offset + SLICE_CHARACTERS + 2
        return self.text[offset : end if end < limit else limit].rstrip("\r\n")

    def is_whole(self, end: int) -> bool:
        """Whether the line that ends at `end` has its line break already."""
        return self.text[end - 1 : end] == "\n"

    def is_long(self, offset: int, end: int) -> bool:
        """Whether a line has to be cut into slices."""
        return end - offset > SLICE_CHARACTERS + 2

    def split(self, offset: int) -> int:
        """Where a long line at `offset` is cut: after a space near the limit, else at the limit."""
        limit = offset + SLICE_CHARACTERS
        space = self.text.rfind(" ", offset + SLICE_CHARACTERS * 3 // 4, limit)
        return limit if space < 0 else space + 1
