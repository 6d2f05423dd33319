"""A source is cut into bounded pieces, the same whether it arrives at once or letter by letter."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quern.gui.widgets.transcript.chunk import (
    CODE_LINE_CHARACTERS,
    LINE_CHARACTERS,
    LINE_MARKS,
    SLICE_LINES,
    ChunkKind,
    Voice,
)
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
        "**a** `c` [l](http://x.y) " * 4_000,
        "```\n" + "code line\n" * 20_000,
        "```\n" + "y" * 100_000 + "\n```",
        "- item\n" * 5_000,
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 5_000,
    ],
    ids=["words", "one line", "lines", "marks", "code", "code line", "list", "table"],
)
def test_ui_05_no_chunk_is_large(source: str) -> None:
    chunker = Chunker(Voice.ASSISTANT, source)
    chunker.finish()
    assert not chunker.is_behind
    for chunk in chunker.chunks:
        text = chunker.text_of(chunk)
        assert text.count("\n") <= SLICE_LINES
        limit = CODE_LINE_CHARACTERS if chunk.kind is ChunkKind.CODE else LINE_CHARACTERS
        assert max(map(len, text.split("\n"))) <= limit + 2
        assert sum(map(text.count, "*_`[$")) <= LINE_MARKS
    assert sum(len(chunker.text_of(chunk)) for chunk in chunker.chunks) >= len(source) - 40


def test_a_long_paragraph_is_one_piece() -> None:
    paragraph = "A sentence of a paragraph that goes on and on, as **stories** do. " * 100
    for voice in (Voice.ASSISTANT, Voice.USER):
        assert [chunk.joins for chunk in Chunker(voice, paragraph).chunks] == [False]


@pytest.mark.parametrize("step", [997, 5_003])
@pytest.mark.parametrize("line", ["Ends here. Goes on, ", "word ", "**a** `c` $d$ ", "x"])
def test_a_line_beyond_all_measure_is_cut_alike_however_it_arrives(line: str, step: int) -> None:
    source = line * (45_000 // len(line))
    whole, streamed = Chunker(Voice.ASSISTANT, source), Chunker(Voice.ASSISTANT)
    for at in range(0, len(source), step):
        streamed.feed(source[at : at + step])
    whole.finish()
    assert streamed.chunks == whole.chunks
    assert "".join(map(whole.text_of, whole.chunks)) == source


def test_a_line_beyond_all_measure_is_cut_where_a_sentence_ends() -> None:
    chunker = Chunker(Voice.ASSISTANT, "Words and words, and words. " * 2_000)
    assert len(chunker.chunks) > 1
    assert all(chunker.text_of(chunk).endswith("words. ") for chunk in chunker.chunks)


def test_text_after_a_wide_indentation_is_not_taken_for_a_blank_line() -> None:
    chunker = Chunker(Voice.ASSISTANT, " " * 3_000 + "far away\n")
    assert any("far away" in chunker.text_of(chunk) for chunk in chunker.chunks)


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
