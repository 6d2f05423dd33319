"""Reads messages that come from outside as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from quern.base import Json, QuernError

from .message import ChatMessage, Role

_ROLES = (*(role.value for role in Role), "developer")


@dataclass(eq=False)
class MessageInvalid(QuernError):
    """One of the given messages is not a message; `position` counts from 1."""

    position: int
    reason: str

    sentence = "Message {position} cannot be used: {reason}."
    advice = "Send a list of objects with a role and a content."


def read_messages(value: Json) -> tuple[ChatMessage, ...]:
    """Return the messages of a JSON list; a null or missing content (as beside tool calls) is empty text.

    Raises MessageInvalid.
    """
    if not isinstance(value, list):
        raise MessageInvalid(1, "the messages are not a list")
    return tuple(_read(position, item) for position, item in enumerate(value, 1))


def _read(position: int, item: Json) -> ChatMessage:
    if not isinstance(item, dict):
        raise MessageInvalid(position, "it is not an object")
    fields = cast(Mapping[str, Json], item)
    if "role" not in fields:
        raise MessageInvalid(position, "it has no role")
    role, content = fields["role"], fields.get("content")
    if not isinstance(role, str) or role not in _ROLES:
        raise MessageInvalid(position, f"its role is {role!r}, not one of {', '.join(_ROLES)}")
    if not isinstance(content, str | None):
        raise MessageInvalid(position, "its content is not text")
    return ChatMessage(role, content or "")
