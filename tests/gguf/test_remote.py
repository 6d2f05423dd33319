"""A header behind a slow wire takes few reads of sensible size, whatever the vocabulary."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.gguf.forge import Tensor, Typed, forge, packed_string
from tests.gguf.range_server import RangeServer, RangeSource, serving

from quern.gguf import (
    ByteSource,
    BytesSource,
    FileSource,
    FileUnreadable,
    GgufTruncated,
    read_header,
    read_model_header_from,
)
from quern.gguf.reading.cursor import FIRST_WINDOW_BYTES, LARGEST_WINDOW_BYTES

N_TOKENS = 262_144
I32, STRING, ARRAY = 5, 8, 9


class CountingSource:
    """Bytes in memory; counts what is asked for."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.path = Path("memory.gguf")
        self.size_bytes = len(data)
        self.reads: list[tuple[int, int]] = []

    def read_at(self, offset: int, length: int) -> bytes:
        self.reads.append((offset, length))
        return self._data[offset : offset + length]


@pytest.fixture(scope="module")
def large() -> bytes:
    """A model with the vocabulary of Gemma 3: 262,144 tokens of about 9 bytes, their scores and types."""
    tokens = [f"piece{number % 10_007}" for number in range(N_TOKENS)]
    return forge(
        {
            "general.architecture": "llama",
            "tokenizer.ggml.tokens": Typed(tokens, ARRAY, STRING),
            "tokenizer.ggml.scores": [0.5] * N_TOKENS,
            "tokenizer.ggml.token_type": Typed([1] * N_TOKENS, ARRAY, I32),
            "last": 7,
        },
        [Tensor("token_embd.weight", (32, 1000))],
    )


@pytest.fixture
def server(large: bytes) -> Iterator[RangeServer]:
    with serving(large) as server:
        yield server


def test_a_remote_vocabulary_of_262144_tokens_takes_four_requests(server: RangeServer, large: bytes) -> None:
    header = read_header(RangeSource(server))
    assert header.array_length("tokenizer.ggml.tokens") == N_TOKENS
    assert header.integer("last") == 7
    assert header == read_header(BytesSource(large))
    lengths = [last + 1 - first for first, last in server.asked]
    assert len(lengths) == 4
    assert max(lengths) <= LARGEST_WINDOW_BYTES
    assert sum(lengths) < header.data_offset + LARGEST_WINDOW_BYTES


def test_a_header_without_a_vocabulary_takes_one_request() -> None:
    source = CountingSource(forge({"general.architecture": "llama"}, [Tensor("a", (32,))]) + bytes(2**20))
    read_header(source)
    assert source.reads == [(0, FIRST_WINDOW_BYTES)]


def test_reads_never_overlap_by_more_than_one_value(large: bytes) -> None:
    source = CountingSource(large)
    read_header(source)
    for (offset, length), (next_offset, _) in zip(source.reads, source.reads[1:], strict=False):
        assert next_offset > offset + length - 64


def test_the_shards_of_a_remote_model_are_read_from_their_sources() -> None:
    parts = [
        forge({"general.architecture": "llama", "split.no": 0, "split.count": 2}, [Tensor("a", (32,))]),
        forge({"split.no": 1, "split.count": 2}, [Tensor("b", (32,))]),
    ]
    sources = [CountingSource(data) for data in parts]
    model = read_model_header_from(*sources)
    assert [tensor.name for tensor in model.tensors] == ["a", "b"]
    assert [len(source.reads) for source in sources] == [1, 1]


def test_files_bytes_and_ranges_read_alike(server: RangeServer, large: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(large)
    with FileSource(path) as file:
        headers = {_told(source) for source in (file, BytesSource(large), RangeSource(server))}
    assert len(headers) == 1


def _told(source: ByteSource) -> str:
    return repr(read_header(source))


class ShrinkingSource:
    """A file that has become shorter than it said it was."""

    path = Path("shrunk.gguf")

    def __init__(self, data: bytes, kept_bytes: int) -> None:
        self._data = data[:kept_bytes]
        self.size_bytes = len(data)

    def read_at(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


def test_a_source_that_gives_less_than_it_has_is_unreadable() -> None:
    whole = forge({"general.architecture": "llama", "text": "x" * 100}, [Tensor("a", (32,))])
    n_header = len(whole) - 128
    for kept_bytes in range(n_header - 32):
        with pytest.raises(FileUnreadable, match="it became shorter while it was being read"):
            read_header(ShrinkingSource(whole, kept_bytes))


def test_a_list_that_ends_behind_the_file_is_cut_off_wherever_a_window_ends() -> None:
    entry = forge({"tokens": ["x"] * 1030})
    for cut in (1, 8, 9, 100):
        with pytest.raises(GgufTruncated):
            read_header(BytesSource(entry[: entry.rindex(packed_string("x")) + 9 - cut]))
