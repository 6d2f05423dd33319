"""What a message is made of once it is read: lines of styled runs, and tables."""

from dataclasses import dataclass
from enum import Enum, Flag, auto


class Face(Flag):
    """How a run of text looks; several may hold at once."""

    PLAIN = 0
    BOLD = auto()
    ITALIC = auto()
    STRUCK = auto()
    CODE = auto()
    FORMULA = auto()
    MUTED = auto()


class LineRole(Enum):
    """What a line is, which decides its font and distances."""

    TEXT = auto()
    HEADING = auto()
    CODE = auto()
    CODE_LABEL = auto()
    FORMULA = auto()
    RULE = auto()
    AUTHOR = auto()
    FOLD = auto()
    NOTE = auto()
    WAITING = auto()


class Marker(Enum):
    """What stands in front of a list item."""

    NONE = auto()
    DISC = auto()
    NUMBER = auto()
    UNCHECKED = auto()
    CHECKED = auto()


class Gap(Enum):
    """How far a line keeps from the one above."""

    NONE = auto()
    ITEM = auto()
    PARAGRAPH = auto()


@dataclass(frozen=True, slots=True)
class Run:
    """Text in one face; `href` (empty: none) makes it a link."""

    text: str
    face: Face = Face.PLAIN
    href: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One block of text. `level` is a heading's; `indent` and `quotes` count enclosing lists and quotes.

    `number` is what a NUMBER marker shows. `joins` marks a continuation of the line above that copying puts back
    together. `block` is the code block (offset in its source) that a code line belongs to, `ends_block` its last line.
    """

    runs: tuple[Run, ...]
    role: LineRole = LineRole.TEXT
    level: int = 0
    indent: int = 0
    quotes: int = 0
    marker: Marker = Marker.NONE
    number: int = 0
    gap: Gap = Gap.PARAGRAPH
    joins: bool = False
    block: int = -1
    ends_block: bool = False

    @property
    def text(self) -> str:
        """The characters of the line as they stand in the document."""
        return "".join(run.text for run in self.runs)


class Side(Enum):
    """Where a table column's text stands; NATURAL follows the writing direction."""

    NATURAL = auto()
    LEFT = auto()
    CENTER = auto()
    RIGHT = auto()


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its first row is the heading. Every row has `len(sides)` cells."""

    sides: tuple[Side, ...]
    rows: tuple[tuple[tuple[Run, ...], ...], ...]

    @property
    def text(self) -> str:
        """The cells, tab-separated, a row a line."""
        return "\n".join("\t".join("".join(run.text for run in cell) for cell in row) for row in self.rows)


Element = Line | Table
