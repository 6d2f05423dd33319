"""Messages that come as JSON are read, or refused with the place and the reason."""

from typing import cast

import pytest

from quern.base import Json
from quern.chat import ChatMessage, MessageInvalid, read_messages


def test_messages_are_read() -> None:
    given: Json = [{"role": "developer", "content": "d"}, {"role": "user", "content": "u", "name": "x"}]
    assert read_messages(given) == (ChatMessage("developer", "d"), ChatMessage("user", "u"))


def test_tm_07_null_and_missing_content_are_empty_text() -> None:
    """TM-07: assistant content null plus tool_calls."""
    given: Json = [{"role": "assistant", "content": None, "tool_calls": []}, {"role": "assistant"}]
    assert read_messages(given) == (ChatMessage("assistant", ""), ChatMessage("assistant", ""))


@pytest.mark.parametrize(
    ("value", "position", "reason"),
    [
        ([{"role": "user", "content": "a"}, {"role": "wizard", "content": "b"}], 2, "its role is 'wizard'"),
        ([{"content": "b"}], 1, "it has no role"),
        ([{"role": 5, "content": "b"}], 1, "its role is 5"),
        ([{"role": "user", "content": 5}], 1, "its content is not text"),
        (["hello"], 1, "it is not an object"),
        ("hello", 1, "the messages are not a list"),
    ],
)
def test_tm_17_what_is_no_message_is_refused(value: object, position: int, reason: str) -> None:
    """TM-17: unknown role, missing role, role 5."""
    with pytest.raises(MessageInvalid) as caught:
        read_messages(cast(Json, value))
    assert caught.value.position == position
    assert reason in caught.value.what
