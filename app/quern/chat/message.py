"""Messages: as a conversation keeps them, and as a chat template sees them."""

from dataclasses import dataclass
from enum import StrEnum

from quern.spec import FinishReason, Timings, Usage


class Role(StrEnum):
    """Who speaks, by the names that chat templates use."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class MessageState(StrEnum):
    """Where a message is in its life. STOPPED keeps what was there when the reply was stopped or the program died."""

    STREAMING = "streaming"
    COMPLETE = "complete"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one reply cost and how it ended."""

    usage: Usage
    timings: Timings
    finish_reason: FinishReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One stored message. Its siblings answer the same parent; `sibling_index` counts from 0 to `sibling_count` - 1.

    `parent_id` None marks a first message. `reasoning_ms` is how long the reasoning took (None: there was none).
    `model_name` is the model that wrote it ("" for a person). `created_at` is in seconds since 1970; the order of
    messages is that of their ids, never of the clock.
    """

    id: int
    conversation_id: int
    parent_id: int | None
    role: Role
    content: str
    reasoning: str
    reasoning_ms: int | None
    state: MessageState
    model_name: str
    figures: Figures | None
    created_at: float
    sibling_index: int
    sibling_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message about to be stored."""

    conversation_id: int
    parent_id: int | None
    role: Role
    content: str
    state: MessageState = MessageState.COMPLETE
    model_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyText:
    """What a reply says so far, and whether it is still being written."""

    content: str
    reasoning: str
    reasoning_ms: int | None
    state: MessageState
    figures: Figures | None = None


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn as a chat template sees it; `role` is one of Role's values, or "developer", which acts as system."""

    role: str
    content: str
