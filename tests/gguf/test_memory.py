"""Headers made to fill memory: each stays under the room's bound, however large its file is."""

import struct
import tracemalloc
from collections.abc import Callable

import pytest
from tests.gguf.forge import ARRAY, F32, STRING, U32, U64, Counts, forge, packed_string

from quern.gguf import MEMORY_BOUND_BYTES, BadModelFile, BytesSource, read_header

WIDE = ("😀" + "x" * 1000).encode()  # one wide character makes Python keep four bytes for each


def entries(count: int, value: bytes, key: bytes = b"") -> bytes:
    """Return a header of `count` entries whose keys are numbers before `key`."""
    body = b"".join(packed_string(b"%07d" % number + key) + value for number in range(count))
    return forge({}, counts=Counts(n_metadata=count))[:24] + body


def text(data: bytes) -> bytes:
    return struct.pack("<I", STRING) + packed_string(data)


def array(element_type: int, count: int, body: bytes) -> bytes:
    return struct.pack("<IIQ", ARRAY, element_type, count) + body


def _texts() -> bytes:
    return entries(100, text(WIDE * 900))


def _short_lists() -> bytes:
    return entries(100, array(STRING, 900, packed_string(WIDE) * 900))


def _lists_of_nothing() -> bytes:
    return entries(3000, array(STRING, 1024, packed_string(b"") * 1024))


def _numbers() -> bytes:
    return entries(1500, array(U64, 1024, b"\xff" * 8 * 1024))


def _reals() -> bytes:
    return entries(1500, array(F32, 1024, struct.pack("<f", 0.1) * 1024))


def _keys() -> bytes:
    return entries(9000, struct.pack("<II", U32, 2**31), WIDE[:900])


def _short_keys() -> bytes:
    return entries(2**14, struct.pack("<II", U32, 2**31))


def _tensors() -> bytes:
    infos = (
        packed_string(f"{number:06d}😀" + "x" * 53) + struct.pack("<I4QIQ", 4, 1, 1, 1, 1, 0, 32 * number)
        for number in range(40_000)
    )
    return forge({}, counts=Counts(n_tensors=40_000))[:24] + b"".join(infos)


def _garbage() -> bytes:
    return entries(50, text(b"\xff" * 900_000))


def _vocabularies() -> bytes:
    return entries(5, array(STRING, 100_000, packed_string("ab") * 100_000))


@pytest.mark.parametrize(
    "make",
    [_texts, _short_lists, _lists_of_nothing, _numbers, _reals, _keys, _short_keys, _tensors, _garbage, _vocabularies],
)
def test_no_header_takes_more_than_the_bound(make: Callable[[], bytes]) -> None:
    source = BytesSource(make())
    refusal: BadModelFile | None = None
    tracemalloc.start()
    try:
        header = read_header(source)
    except BadModelFile as error:
        header, refusal = None, error
    finally:
        peak_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak_bytes < MEMORY_BOUND_BYTES
    assert header is not None or "more names than any model has" in str(refusal)
