"""Reading bad headers: each is refused within a second, in little memory, with a reason of its own."""

import struct
import tracemalloc
from time import perf_counter

import pytest
from tests.gguf.forge import Counts, Tensor, forge, packed_string, packed_value

from quern.gguf import (
    BadModelFile,
    BytesSource,
    GgufDamaged,
    GgufTruncated,
    GgufUnsupported,
    NotGguf,
    check_complete,
    read_header,
)

MINIMAL: dict[str, object] = {"general.architecture": "llama"}
ONE_ENTRY = forge({}, counts=Counts(n_metadata=1))[:24]


def refuse(data: bytes) -> BadModelFile:
    """Read `data` as inspection does and return the refusal, which must come fast and cheaply."""
    source = BytesSource(data)
    tracemalloc.start()
    start = perf_counter()
    with pytest.raises(BadModelFile) as caught:
        check_complete(read_header(source), source)
    duration_s = perf_counter() - start
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert duration_s < 1
    assert peak_bytes < 2 * 2**20
    return caught.value


def claim(type_number: int, *claims: int) -> bytes:
    """Return a header whose only value has `type_number`, followed by an element type and length, or a length."""
    layout = "<IIQ" if len(claims) == 2 else "<IQ"[: 2 + len(claims)]
    return ONE_ENTRY + packed_string("k") + struct.pack(layout, type_number, *claims)


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        (Counts(version=0), "version 0"),
        (Counts(version=1), "version 1"),
        (Counts(version=4), "version 4"),
        (Counts(version=3, byte_order=">"), "big-endian"),
    ],
)
def test_GG_04_other_versions_and_byte_orders_are_refused_by_name(counts: Counts, found: str) -> None:
    error = refuse(forge(MINIMAL, counts=counts))
    assert isinstance(error, GgufUnsupported)
    assert "unsupported GGUF version or byte order" in error.what
    assert found in error.what


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(forge({}, counts=Counts(n_metadata=2**62)), "4,611,686,018,427,387,904 metadata", id="n_kv 2^62"),
        pytest.param(
            forge({}, counts=Counts(n_tensors=2**63)), "9,223,372,036,854,775,808 tensors", id="n_tensors 2^63"
        ),
        pytest.param(
            forge({}, counts=Counts(n_tensors=2**60)), "1,152,921,504,606,846,976 tensors", id="n_tensors 2^60"
        ),
        pytest.param(
            ONE_ENTRY + b"\xff" * 8, "a key of its metadata is 18,446,744,073,709,551,615 bytes", id="key 2^64-1"
        ),
        pytest.param(claim(8, 2**60), "a value of 1,152,921,504,606,846,976 bytes", id="text 2^60"),
        pytest.param(claim(9, 12, 2**61), "a value of 18,446,744,073,709,551,616 bytes", id="2^61 doubles"),
        pytest.param(claim(9, 8, 2**40), "a list of 1,099,511,627,776 texts", id="2^40 texts"),
        pytest.param(claim(9, 9, 1), "a list of lists, which no engine reads", id="array of arrays"),
        pytest.param(claim(13), "a value of type 13", id="type 13"),
        pytest.param(claim(9, 13, 0), "a value of type 13", id="array of type 13"),
        pytest.param(
            forge({}, counts=Counts(n_metadata=2))[:24] + 2 * (packed_string("k") + packed_value(1)),
            '"k" twice',
            id="key twice",
        ),
        pytest.param(forge({"": 1}), "a key of its metadata is empty", id="empty key"),
        pytest.param(forge({"general.alignment": True}), "alignment", id="alignment true"),
        pytest.param(forge({"general.alignment": 0}), "alignment", id="alignment 0"),
        pytest.param(forge({"general.alignment": 24}), "alignment", id="alignment 24"),
        pytest.param(forge({"general.alignment": "big"}), "alignment", id="alignment in words"),
    ],
)
def test_GG_05_impossible_claims_are_refused_before_anything_is_allocated(data: bytes, reason: str) -> None:
    error = refuse(data)
    assert isinstance(error, GgufDamaged)
    assert reason in error.what


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(claim(8, 2**30), id="text of 1 GiB"),
        pytest.param(claim(9, 0, 2**33), id="array of 2^33 bytes"),
        pytest.param(claim(9, 8, 2**20), id="list of 2^20 texts"),
        pytest.param(claim(9, 8, 3) + packed_string("a") + struct.pack("<Q", 2**35), id="list with a text of 2^35"),
        pytest.param(forge(MINIMAL, counts=Counts(n_tensors=1000)), id="1000 tensors that are not there"),
    ],
)
def test_GG_05_believable_claims_beyond_the_end_count_as_cut_off(data: bytes) -> None:
    error = refuse(data)
    assert isinstance(error, GgufTruncated)
    assert error.expected_bytes > error.actual_bytes == len(data)


@pytest.mark.parametrize(
    ("tensor", "reason"),
    [
        pytest.param(Tensor("t", (4, 0), b""), "impossible shape 4 x 0", id="dims 4 x 0"),
        pytest.param(Tensor("t", (1,) * 99, b""), "99 dimensions", id="99 dimensions"),
        pytest.param(Tensor("t", (2**64 - 1,), b""), "impossible shape 18,446,744,073,709,551,615", id="negative"),
        pytest.param(Tensor("t", (2**32,) * 4, b""), "impossible shape", id="4 x 2^32 overflows"),
        pytest.param(Tensor("t", (2**31, 2**31), b""), "is said to take", id="2^62 elements"),
        pytest.param(Tensor("t", (32,), type_number=9999), "type 9999", id="type 9999"),
        pytest.param(Tensor("t", (32,), type_number=4), "type Q4_2", id="removed type 4"),
        pytest.param(Tensor("t", (33,), type_number=2), "rows of 33 elements, which Q4_0", id="half a block"),
        pytest.param(Tensor("t", (8,), offset=32), "at 32 and not 0", id="gap before"),
        pytest.param(Tensor("t" * 64, (8,)), "name of a tensor is 64 bytes long and not at most 63", id="long name"),
    ],
)
def test_GG_20_impossible_tensors_are_refused(tensor: Tensor, reason: str) -> None:
    error = refuse(forge({}, [tensor]))
    assert isinstance(error, GgufDamaged)
    assert reason in error.what


def test_tensors_that_overlap_or_share_a_name_are_refused() -> None:
    assert "at 0 and not 32" in refuse(forge({}, [Tensor("a", (8,)), Tensor("b", (8,), offset=0)])).what
    assert "same name" in refuse(forge({}, [Tensor("a", (8,)), Tensor("a", (8,))])).what


def test_a_file_cut_anywhere_is_refused_as_incomplete() -> None:
    whole = forge(
        {**MINIMAL, "tokens": [f"<{n}>" for n in range(1100)], "few": ["a", "b"], "numbers": [0.5] * 1100},
        [Tensor("a.weight", (32, 2)), Tensor("b.weight", (32,))],
    )
    for length in range(4, len(whole)):
        source = BytesSource(whole[:length])
        with pytest.raises(GgufTruncated) as caught:
            check_complete(read_header(source), source)
        assert caught.value.actual_bytes == length < caught.value.expected_bytes <= len(whole)


@pytest.mark.parametrize("length", range(4))
def test_a_file_shorter_than_the_magic_is_no_gguf(length: int) -> None:
    assert isinstance(refuse(b"GGUF"[:length]), NotGguf)
