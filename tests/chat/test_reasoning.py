"""Reasoning is told from content wherever the pieces are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quern.chat import DeltaKind, ReasoningSplitter, ReplyOpening, opening_of
from quern.spec import PieceKind, TextPiece


def split(*pieces: str, opening: ReplyOpening = ReplyOpening.UNDECIDED) -> tuple[str, str]:
    """Return (reasoning, content) of a reply that came in `pieces`."""
    splitter = ReasoningSplitter(opening)
    deltas = [delta for piece in pieces for delta in splitter.feed(piece)]
    deltas += splitter.finish()
    parts = {kind: "".join(delta.text for delta in deltas if delta.kind is kind) for kind in DeltaKind}
    return parts[DeltaKind.REASONING], parts[DeltaKind.CONTENT]


REPLY = "<think>\nFirst 1 < 2.\n\nThen </th ink> more.\n</think>\n\nThe answer is <think> 2 </think>."
REASONING = "First 1 < 2.\n\nThen </th ink> more."
CONTENT = "The answer is <think> 2 </think>."


def test_a_reply_in_one_piece() -> None:
    assert split(REPLY) == (REASONING, CONTENT)


def test_a_reply_in_single_characters() -> None:
    assert split(*REPLY) == (REASONING, CONTENT)


@given(st.lists(st.integers(0, len(REPLY)), max_size=8))
def test_a_reply_cut_anywhere(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(REPLY)]
    pieces = [REPLY[start:end] for start, end in pairwise(places)]
    assert split(*pieces) == (REASONING, CONTENT)


@given(st.lists(st.text(alphabet="<think>/ \nab", max_size=9), max_size=9))
def test_no_cut_changes_the_result(pieces: list[str]) -> None:
    assert split(*pieces) == split("".join(pieces))


def test_a_prompt_that_opens_the_reasoning_starts_inside() -> None:
    assert split("so ", "it is.</th", "ink>Yes.", opening=ReplyOpening.REASONING) == ("so it is.", "Yes.")


def test_reasoning_that_never_ends_stays_reasoning() -> None:
    assert split("<think>on and on </thi") == ("on and on </thi", "")


@pytest.mark.parametrize(
    "reply", ["    indented code\n", "\n\n", "a <think>b</think>", "<thin", "<", "", "  <b>x</b> "]
)
def test_a_reply_without_reasoning_comes_out_as_it_went_in(reply: str) -> None:
    assert split(*reply) == ("", reply)


@pytest.mark.parametrize(
    "tag", ["[THINK]{}[/THINK]", "<seed:think>{}</seed:think>", "◁think▷{}◁/think▷", "<mm:think>{}</mm:think>"]
)
def test_other_dialects_of_the_tags(tag: str) -> None:
    assert split(tag.format("r </think> r") + "content") == ("r </think> r", "content")


def test_text_is_not_held_back_without_need() -> None:
    splitter = ReasoningSplitter()
    assert [delta.text for delta in splitter.feed("<think>a")] == ["a"]
    assert splitter.is_reasoning
    assert [delta.text for delta in splitter.feed(" b <")] == [" b"]
    assert [delta.text for delta in splitter.feed("c")] == [" <c"]
    assert [(delta.kind, delta.text) for delta in splitter.feed("</think>d")] == [(DeltaKind.CONTENT, "d")]
    assert not splitter.is_reasoning


@pytest.mark.parametrize(
    ("tail", "opening"),
    [
        ("<|im_start|>assistant\n<think>\n", ReplyOpening.REASONING),
        ("assistant<think>", ReplyOpening.REASONING),
        ("<think>\n\n</think>\n\n", ReplyOpening.UNDECIDED),
        ("assistant\n", ReplyOpening.UNDECIDED),
    ],
)
def test_the_prompts_end_says_how_the_reply_begins(tail: str, opening: ReplyOpening) -> None:
    assert opening_of([TextPiece("earlier", PieceKind.PLAIN), TextPiece(tail, PieceKind.CONTROL)]) is opening


def test_an_empty_prompt_opens_nothing() -> None:
    assert opening_of([]) is ReplyOpening.UNDECIDED
