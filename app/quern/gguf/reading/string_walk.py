"""Steps over runs of strings (length u64, bytes) without making objects of them, mostly in one regular expression."""

import re
import struct
from functools import cache

STRIDE = 256  # strings that one match steps over; some 20 µs in which no other thread runs
_LONGEST_BYTES = 95  # strings up to here are in the expression; longer ones are stepped over one by one
_COMMON_BYTES = 7  # tokens are about so long: the expression tries such lengths first
_DOTTED_BYTES = 24  # up to here a dot a byte is quicker than a repeat
_LENGTH = struct.Struct("<Q")


def walk_strings(window: bytes, at: int, count: int) -> tuple[int, int]:
    """Step over up to `count` strings of which the first begins at `at` in `window`.

    Return where the next one begins, and how many strings lie before it. The last one may end behind the window; no
    string is counted whose length is not in the window. Every length is read, so a wrong one leads where it says.
    """
    last = len(window) - _LENGTH.size
    left = count
    while left and at <= last:
        stride = _stride().match(window, at) if left >= STRIDE else None
        if stride is not None:
            at = stride.end()
            left -= STRIDE
            continue
        end = _walk_slowly(window, at, min(left, STRIDE))
        at, left = end[0], left - end[1]
    return at, count - left


def _walk_slowly(window: bytes, at: int, count: int) -> tuple[int, int]:
    unpack_from, last = _LENGTH.unpack_from, len(window) - _LENGTH.size
    for walked in range(count):
        if at > last:
            return at, walked
        (length,) = unpack_from(window, at)
        at += 8 + length
    return at, count


@cache
def _stride() -> re.Pattern[bytes]:
    """Return what matches exactly STRIDE strings in a row: one alternative a length, told apart by its first byte.

    Possessive: nothing is tried twice, so a match costs the same whatever the bytes are.
    """
    lengths = sorted(range(_LONGEST_BYTES + 1), key=lambda length: abs(length - _COMMON_BYTES))
    strings = b"|".join(b"\\x%02x" % length + b"\\x00" * 7 + _any_bytes(length) for length in lengths)
    return re.compile(b"(?:%b){%d}+" % (strings, STRIDE), re.DOTALL)


def _any_bytes(count: int) -> bytes:
    return b"." * count if count <= _DOTTED_BYTES else b".{%d}" % count
