"""Words stay whole on a terminal of any width, however the text comes."""

import pytest

from quern.cli.word_wrap import WordWrap, wrapped

TEXT = "The quick brown fox jumps over\nthe lazy dog, and a veryverylongword too."


@pytest.mark.parametrize("columns", [10, 12, 17, 80])
@pytest.mark.parametrize("step", [1, 3, 100])
def test_no_word_is_broken_however_the_text_comes(columns: int, step: int) -> None:
    wrap = WordWrap(lambda: columns)
    shown = "".join(wrap.feed(TEXT[at : at + step]) for at in range(0, len(TEXT), step)) + wrap.finish()
    assert shown.split() == TEXT.split()
    assert all(len(line) <= columns for line in shown.split("\n") if "veryvery" not in line)
    assert shown == wrapped(TEXT, columns)


def test_what_fits_is_left_as_it_is() -> None:
    text = "  indented\n\n    code  and\ttabs \nend"
    assert wrapped(text, 80) == text


def test_a_complete_word_is_shown_at_once_and_the_rest_at_the_end() -> None:
    wrap = WordWrap(lambda: 80)
    assert wrap.feed("one tw") == "one"
    assert wrap.feed("o ") == " two"
    assert wrap.feed("three") == ""
    assert wrap.finish() == " three"
    assert wrap.finish() == ""


def test_wide_characters_need_no_spaces_and_are_shown_at_once() -> None:
    wrap = WordWrap(lambda: 5)
    assert wrap.feed("日本語") == "日本\n語"


def test_marks_that_take_no_column_are_not_counted() -> None:
    assert wrapped("e\u0301" * 5 + " ab", 5) == "e\u0301" * 5 + "\nab"


def test_a_word_longer_than_the_line_is_left_to_the_terminal() -> None:
    assert wrapped("abcdefghijkl mn opq", 5) == "abcdefghijkl mn\nopq"
