"""Characters come out whole; stop strings do not come out at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quern.engine.reply_text import ReplyText


def feed_all(reply: ReplyText, pieces: list[bytes]) -> list[str]:
    return [reply.feed(piece) for piece in pieces]


def test_a_character_split_over_pieces_comes_out_whole() -> None:
    llama = "🦙".encode()
    assert feed_all(ReplyText(), [b"a", llama[:1], llama[1:3], llama[3:], b"b"]) == ["a", "", "", "🦙", "b"]


def test_bytes_that_are_no_text_are_replaced_and_the_rest_goes_on() -> None:
    assert "".join(feed_all(ReplyText(), [b"a\xff", b"b"])) == "a\ufffdb"


def test_an_unfinished_character_at_the_end_is_dropped() -> None:
    reply = ReplyText()
    assert reply.feed("x東".encode()[:-1]) == "x"
    assert reply.rest() == ""


def test_a_stop_string_over_pieces_is_held_back_and_cut() -> None:
    reply = ReplyText(("\nUser:",))
    assert feed_all(reply, [b"Hi", b"\n", b"Us", b"er", b": more"]) == ["Hi", "", "", "", ""]
    assert reply.hit_stop
    assert reply.rest() == ""


def test_what_only_looked_like_a_stop_string_comes_out() -> None:
    reply = ReplyText(("\nUser:",))
    assert feed_all(reply, [b"a\nU", b"ncle"]) == ["a", "\nUncle"]
    assert not reply.hit_stop


def test_what_is_held_back_comes_out_at_the_end() -> None:
    reply = ReplyText(("stop",))
    assert reply.feed(b"a st") == "a "
    assert reply.rest() == "st"
    assert reply.rest() == ""


def test_the_earliest_stop_string_wins() -> None:
    reply = ReplyText(("late", "early"))
    assert reply.feed(b"x early late") == "x "


def test_an_empty_stop_string_stops_nothing() -> None:
    reply = ReplyText(("",))
    assert reply.feed(b"abc") == "abc"
    assert not reply.hit_stop


@given(st.text(alphabet="ab🦙", max_size=30), st.text(alphabet="ab🦙", min_size=1, max_size=4), st.data())
def test_however_it_is_cut_the_text_is_the_same(text: str, stop: str, data: st.DataObject) -> None:
    reply, out, left = ReplyText((stop,)), "", text.encode()
    while left and not reply.hit_stop:
        size = data.draw(st.integers(1, len(left)))
        out += reply.feed(left[:size])
        left = left[size:]
    out += reply.rest()
    assert out == text.partition(stop)[0]
    assert reply.hit_stop == (stop in text)


@pytest.mark.parametrize("stop", ["aab", "abab"])
def test_overlapping_beginnings_are_found(stop: str) -> None:
    reply = ReplyText((stop,))
    out = "".join(reply.feed(bytes([byte])) for byte in b"aaabab!")
    assert out == "aaabab!".partition(stop)[0]
