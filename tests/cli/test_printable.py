"""Nothing that a file or a model says can drive the terminal."""

import pytest

from quern.cli.printable import one_line, printable


@pytest.mark.parametrize("character", ["\x1b", "\x00", "\x07", "\r", "\x7f", "\x9b", "\ud800"])
def test_a_control_character_or_lone_surrogate_is_replaced(character: str) -> None:
    assert printable(f"a{character}[31mb") == "a\N{REPLACEMENT CHARACTER}[31mb"


@pytest.mark.parametrize("text", ["", "plain", "naïve 中文 😀", "two\nlines\tand a tab"])
def test_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_one_line_joins_lines() -> None:
    assert one_line(" a\n\tb\x1bc ") == "a b\N{REPLACEMENT CHARACTER}c"
