"""Whatever the bytes are, reading them ends soon, in bounded memory, in a header or a named refusal.

The same with 100,000 headers: `python -m tests.bench.gguf_header --fuzz 100000`.
"""

import tracemalloc
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.gguf.mutation import mutate, seed_of, seeds

from quern.gguf import (
    MEMORY_BOUND_BYTES,
    BadModelFile,
    BytesSource,
    adapter_facts,
    base_models,
    check_complete,
    facts_of,
    projector_facts,
    read_model_header_from,
)

N_MUTATIONS = 4000
BOUND_BYTES = 2 * 2**20  # files of some 100 KB; the bound for files of any size is MEMORY_BOUND_BYTES


def read_all(data: bytes) -> BadModelFile | None:
    """Do all that the room does with a header; return why it was refused."""
    source = BytesSource(data)
    try:
        header = read_model_header_from(source).first
        facts_of(header)
        projector_facts(header)
        adapter_facts(header)
        base_models(header)
        check_complete(header, source)
    except BadModelFile as refusal:
        return refusal
    return None


@contextmanager
def traced() -> Generator[None]:
    """Trace memory."""
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def test_every_seed_is_good_and_its_numbers_are_found(tmp_path: Path) -> None:
    for seed in seeds(tmp_path):
        assert seed.name == "llama" or read_all(seed.data) is None
        assert len(seed.places) > 10
        assert seed.n_header <= len(seed.data)


def test_thousands_of_lying_headers_are_read_or_refused_in_little_memory(tmp_path: Path) -> None:
    good = seeds(tmp_path)
    random = Random(7)
    kinds: set[str] = set()
    with traced():
        for _ in range(N_MUTATIONS):
            data = mutate(random, random.choice(good))
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            refusal = read_all(data)
            assert tracemalloc.get_traced_memory()[1] - before < BOUND_BYTES
            kinds.add(type(refusal).__name__)
            assert refusal is None or refusal.what.endswith(".")
    assert kinds >= {"NoneType", "GgufDamaged", "GgufTruncated", "GgufUnsupported", "NotGguf", "ShardsDisagree"}
    assert BOUND_BYTES < MEMORY_BOUND_BYTES


@settings(max_examples=300, deadline=1000)
@given(st.binary(max_size=300))
def test_any_bytes_behind_the_magic_are_read_or_refused(tail: bytes) -> None:
    read_all(b"GGUF\x03\0\0\0" + tail)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return next(seed.data for seed in seeds(tmp_path_factory.mktemp("seeds")) if seed.name == "adapter")


@settings(max_examples=300, deadline=1000)
@given(st.integers(0, 2000), st.integers(0, 2**64 - 1), st.integers(0, 3000))
def test_any_number_anywhere_is_read_or_refused(good: bytes, offset: int, number: int, cut: int) -> None:
    data = good[:offset] + number.to_bytes(8, "little") + good[offset + 8 :]
    read_all(data)
    read_all(data[:cut])


def test_every_number_in_a_header_may_be_huge_without_cost(good: bytes) -> None:
    with traced():
        for place in seed_of("adapter", good).places:
            for number in (2**62, 2**40, 2**28, 2**64 - 1):
                lie = number.to_bytes(8, "little")[8 - place.size :]
                read_all(good[: place.offset] + lie + good[place.offset + place.size :])
        assert tracemalloc.get_traced_memory()[1] < BOUND_BYTES
