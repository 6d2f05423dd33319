"""What the transcript is given: one frozen value per message, free of any store."""

from dataclasses import dataclass
from enum import Enum, auto


class ShownState(Enum):
    """How far a message has come."""

    STREAMING = auto()
    COMPLETE = auto()
    STOPPED = auto()
    FAILED = auto()


class FindDirection(Enum):
    """Which way a search goes from the current place; both wrap around."""

    FORWARD = auto()
    BACKWARD = auto()


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """One message as a person sees it.

    `role` is "user", "assistant", "system" or "tool"; `author` names the speaker above the text (empty: the role's own
    word). `reasoning_ms` is how long the reasoning took, None while it runs or where unknown. `sibling_index` counts
    from 0. `note` is one small line below the text (figures, "Stopped", what failed).
    """

    id: int
    role: str
    content: str
    reasoning: str = ""
    reasoning_ms: int | None = None
    state: ShownState = ShownState.COMPLETE
    sibling_index: int = 0
    sibling_count: int = 1
    note: str = ""
    author: str = ""
