"""Whatever the bytes are, reading them ends soon, in bounded memory, in a header or a named refusal."""

import contextlib
import tracemalloc
from time import perf_counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.gguf.forge import CHATML, Tensor, forge

from quern.gguf import BadModelFile, BytesSource, check_complete, facts_of, read_header

GOOD = forge(
    {
        "general.architecture": "llama",
        "general.alignment": 32,
        "llama.context_length": 512,
        "tokenizer.chat_template": CHATML,
        "tokenizer.ggml.tokens": [f"<{number}>" for number in range(40)],
        "tokenizer.ggml.scores": [0.5] * 40,
        "general.sampling.temp": 0.5,
    },
    [Tensor("token_embd.weight", (32, 4)), Tensor("blk.0.weight", (32, 2), bytes(36), type_number=2)],
)
N_HEADER = len(GOOD) - 512 - 64

numbers = st.sampled_from([0, 1, 3, 9, 13, 255, 2**16, 2**20, 2**31, 2**32 - 1, 2**33, 2**60, 2**63, 2**64 - 1])
patches = st.tuples(
    st.integers(0, N_HEADER), numbers.map(lambda number: number.to_bytes(8, "little")) | st.binary(max_size=9)
)


def read_all(data: bytes) -> None:
    source = BytesSource(data)
    with contextlib.suppress(BadModelFile):
        header = read_header(source)
        facts_of(header)
        check_complete(header, source)


@settings(max_examples=2000, deadline=1000, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(patches, min_size=1, max_size=3), st.integers(0, len(GOOD)))
def test_mutated_headers_are_read_or_refused(changes: list[tuple[int, bytes]], cut: int) -> None:
    data = bytearray(GOOD)
    for offset, patch in changes:
        data[offset : offset + len(patch)] = patch
    read_all(bytes(data))
    read_all(bytes(data[:cut]))


@settings(max_examples=500, deadline=1000)
@given(st.binary(max_size=300))
def test_any_bytes_behind_the_magic_are_read_or_refused(tail: bytes) -> None:
    read_all(b"GGUF\x03\0\0\0" + tail)


def test_every_length_in_the_header_may_be_huge_without_cost() -> None:
    tracemalloc.start()
    start = perf_counter()
    for offset in range(0, N_HEADER, 2):
        for number in (2**62, 2**40, 2**28):
            data = GOOD[:offset] + number.to_bytes(8, "little") + GOOD[offset + 8 :]
            read_all(data)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 8 * 2**20
    assert perf_counter() - start < 60
