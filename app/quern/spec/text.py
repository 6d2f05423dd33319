"""Prompt text that knows where it came from."""

from dataclasses import dataclass
from enum import Enum, auto


class PieceKind(Enum):
    """CONTROL text comes from a template and may become control tokens; PLAIN text is a person's and never does."""

    CONTROL = auto()
    PLAIN = auto()


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A run of prompt text of one kind."""

    text: str
    kind: PieceKind
