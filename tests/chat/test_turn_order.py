"""Odd conversations keep their text, whatever shape a template accepts."""

import pytest

from quern.chat import ChatMessage, NoMessages
from quern.chat.turn_order import checked, fold_system, join_neighbours, lost_system, shapes


def messages(*turns: str) -> tuple[ChatMessage, ...]:
    """Read "role: content" lines."""
    return tuple(ChatMessage(*turn.split(": ", 1)) for turn in turns)


def test_tm_09_no_messages_are_an_error() -> None:
    """TM-09: messages: []."""
    with pytest.raises(NoMessages):
        checked([])


def test_tm_17_developer_acts_as_system() -> None:
    """TM-17: role developer."""
    assert checked(messages("developer: d", "user: u")) == messages("system: d", "user: u")


def test_system_texts_move_into_the_first_user_turn() -> None:
    given = messages("system: s1", "assistant: a", "user: u", "system: s2", "user: v")
    assert fold_system(given) == messages("assistant: a", "user: s1\n\ns2\n\nu", "user: v")
    assert fold_system(messages("system: s")) == messages("user: s")
    assert fold_system(messages("system: s", "assistant: a")) == messages("user: s", "assistant: a")
    assert fold_system(messages("user: u")) == messages("user: u")


def test_neighbours_of_one_role_are_joined_but_tool_results_are_not() -> None:
    given = messages("user: a", "user: b", "tool: 1", "tool: 2", "assistant: c", "assistant: d")
    assert join_neighbours(given) == messages("user: a\n\nb", "tool: 1", "tool: 2", "assistant: c\n\nd")


def test_shapes_come_mildest_first_and_each_once() -> None:
    assert list(shapes(messages("user: a", "assistant: b"))) == [messages("user: a", "assistant: b")]
    assert list(shapes(messages("system: s", "user: a", "user: b"))) == [
        messages("system: s", "user: a", "user: b"),
        messages("system: s", "user: a\n\nb"),
        messages("user: s\n\na", "user: b"),
        messages("user: s\n\na\n\nb"),
    ]


def test_a_system_text_that_is_not_in_the_prompt_is_lost() -> None:
    given = messages("system:   be kind\n\nbe brief  ", "user: u")
    assert not lost_system(given, "S[be kind\nbe brief]U[u]")
    assert lost_system(given, "U[u]")
    assert lost_system(messages("system: one", "system: two", "user: u"), "S[two]U[u]")
    assert not lost_system(messages("user: u"), "")
