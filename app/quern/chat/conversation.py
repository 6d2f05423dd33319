"""Conversations as values: rows of the list, the open one, search hits and what a deletion took."""

from dataclasses import dataclass, field
from enum import Enum, auto

from quern.spec import SamplingParams

from .message import Message


class Trash(Enum):
    """Which conversations to list: those in use, or those in the trash."""

    EXCLUDED = auto()
    ONLY = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSummary:
    """One row of the conversation list. Times are seconds since 1970; `n_messages` counts every branch."""

    id: int
    title: str
    pinned: bool
    created_at: float
    updated_at: float
    n_messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation with its own settings; `sampling` None means the defaults, `model_name` "" none chosen yet."""

    summary: ConversationSummary
    system_prompt: str
    model_name: str
    sampling: SamplingParams | None
    draft: str
    leaf_id: int | None

    @property
    def id(self) -> int:
        """The conversation's id."""
        return self.summary.id

    @property
    def title(self) -> str:
        """The conversation's title; "" until its first message or a rename gives one."""
        return self.summary.title


@dataclass(frozen=True, slots=True)
class Exchange:
    """A person's message (None when an old one is answered again) and the still empty reply to it."""

    user: Message | None
    reply: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """Where a text was found: a message, or the conversation's title (`message_id` None).

    `snippet` is one line around the match, which lies at `snippet[match_start : match_start + match_length]`
    (`match_length` 0: the snippet shows the beginning instead).
    """

    conversation_id: int
    message_id: int | None
    title: str
    snippet: str
    match_start: int
    match_length: int


@dataclass(frozen=True, slots=True)
class DeletedMessages:
    """What `delete_message` took, for `undelete`: the rows and the leaf that was shown before."""

    conversation_id: int
    message_ids: tuple[int, ...]
    leaf_id: int | None
    rows: tuple[tuple[object, ...], ...] = field(repr=False)
