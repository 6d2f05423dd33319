"""A first message becomes a short title."""

import pytest

from quern.chat import title_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hello", "Hello"),
        ("  two\n\tlines  ", "two lines"),
        ("", ""),
        ("one two three four five six seven eight nine ten eleven", "one two three four five six seven eight nine…"),
        ("x" * 200, "x" * 47 + "…"),
        ("字" * 60, "字" * 47 + "…"),
    ],
)
def test_the_first_words_are_the_title(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_huge_message_is_not_read_whole() -> None:
    assert title_of(" " * 10_000_000 + "late") == ""
