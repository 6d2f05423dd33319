"""A source is cut into bounded pieces, the same whether it arrives at once or letter by letter."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quern.gui.widgets.transcript.chunk import SLICE_CHARACTERS, SLICE_LINES, ChunkKind, Voice
from quern.gui.widgets.transcript.chunker import Chunker

_PIECES = st.sampled_from(
    [
        "word ",
        "\n",
        "\n\n",
        "```",
        "~~~",
        "py",
        "- item",
        "1. ",
        "  ",
        "\t",
        "> q",
        "| a | b |\n|---|---|\n",
        "$$\n",
        "\r\n",
        "# h",
    ]
)
_SOURCES = st.lists(_PIECES, max_size=40).map("".join)


@settings(max_examples=200, deadline=None)
@given(_SOURCES, st.sampled_from([Voice.USER, Voice.ASSISTANT]), st.integers(1, 7))
def test_streaming_cuts_as_reading_at_once_does(source: str, voice: Voice, step: int) -> None:
    streamed = Chunker(voice)
    for at in range(0, len(source), step):
        streamed.feed(source[at : at + step])
    assert streamed.chunks == Chunker(voice, source).chunks


@settings(max_examples=100, deadline=None)
@given(_SOURCES)
def test_settled_chunks_never_change(source: str) -> None:
    chunker, settled = Chunker(Voice.ASSISTANT), 0
    before: list[object] = []
    for character in source:
        chunker.feed(character)
        assert chunker.chunks[:settled] == before
        settled = sum(chunk.is_settled for chunk in chunker.chunks)
        before = list(chunker.chunks[:settled])


@pytest.mark.parametrize(
    "source",
    [
        "word " * 50_000,
        "x" * 200_000,
        "line\n" * 20_000,
        "```\n" + "code line\n" * 20_000,
        "```\n" + "y" * 100_000 + "\n```",
        "- item\n" * 5_000,
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 5_000,
    ],
    ids=["words", "one line", "lines", "code", "code line", "list", "table"],
)
def test_ui_05_no_chunk_is_large(source: str) -> None:
    chunker = Chunker(Voice.ASSISTANT, source)
    chunker.finish()
    assert not chunker.is_behind
    for chunk in chunker.chunks:
        text = chunker.text_of(chunk)
        assert text.count("\n") <= SLICE_LINES
        assert max(map(len, text.split("\n"))) <= SLICE_CHARACTERS + 2
    assert sum(len(chunker.text_of(chunk)) for chunk in chunker.chunks) >= len(source) - 40


def test_ui_07_a_code_block_is_kept_byte_for_byte() -> None:
    code = "\tif x:\r\n" + " " * 64 + "y = 1   \r\n\r\n\tz\t"
    chunker = Chunker(Voice.ASSISTANT, f"Here:\r\n\r\n```py\r\n{code}\r\n```\r\nDone.")
    block = next(chunk.block for chunk in chunker.chunks if chunk.kind is ChunkKind.CODE)
    assert chunker.code_block(block) == code


def test_a_long_code_block_is_one_block_in_many_slices() -> None:
    code = "\n".join(f"line {number}" for number in range(1_000))
    chunker = Chunker(Voice.ASSISTANT, f"~~~~ text\n{code}\n~~~~\nafter")
    slices = [chunk for chunk in chunker.chunks if chunk.kind is ChunkKind.CODE]
    assert len(slices) == 5
    assert {chunk.block for chunk in slices} == {slices[0].start}
    assert chunker.code_block(slices[0].block) == code
    assert [chunk.is_last for chunk in slices] == [False] * 4 + [True]


def test_a_shorter_fence_does_not_close_a_longer_one() -> None:
    chunker = Chunker(Voice.ASSISTANT, "````\n```\ninside\n```\n````\n")
    assert [chunker.text_of(chunk) for chunk in chunker.chunks] == ["```\ninside\n```\n"]


def test_a_list_keeps_its_nested_fence() -> None:
    source = "- item\n\n  ```\n  a\n\n  b\n  ```\n- next\n"
    assert len(Chunker(Voice.ASSISTANT, source).chunks) == 1


def test_a_cut_table_repeats_its_heading() -> None:
    chunker = Chunker(Voice.ASSISTANT, "| a |\n|---|\n" + "| 1 |\n" * 100)
    assert len(chunker.chunks) > 2
    assert {chunk.preface for chunk in chunker.chunks[1:]} == {"| a |\n|---|\n"}


def test_a_persons_words_are_taken_as_typed() -> None:
    chunker = Chunker(Voice.USER, "# not a heading\n\n*stars*\n```py\nx\n```")
    assert [chunk.kind for chunk in chunker.chunks] == [ChunkKind.VERBATIM, ChunkKind.CODE]
