"""Reads little-endian values one after another from a source, never past its end, in few and growing reads."""

import struct
from typing import NoReturn

from quern.gguf.errors import FileUnreadable, GgufDamaged, GgufTruncated
from quern.gguf.file.source import ByteSource

from .string_walk import walk_strings

FIRST_WINDOW_BYTES = 256 * 1024  # a header without a vocabulary
LARGEST_WINDOW_BYTES = 4 * 2**20
_GROWTH = 4  # 256 KiB, 1 MiB, 4 MiB, 4 MiB...: a vocabulary of 5 MB takes four reads
_LONGEST_CLAIM_BYTES = 2**40  # no honest length in a header is larger; smaller ones may be a download cut short
_LENGTH = struct.Struct("<Q")


class Cursor:
    """Owns a position in a source and a window of bytes around it.

    Every method raises GgufTruncated when the source ends too early, GgufDamaged when a length is beyond belief (both
    before anything of that length is allocated), and FileUnreadable when the source gives less than it should.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._size_bytes = source.size_bytes
        self._window = b""
        self._window_start = 0
        self._next_window_bytes = FIRST_WINDOW_BYTES
        self.position = 0

    @property
    def remaining_bytes(self) -> int:
        """How many bytes follow the position."""
        return self._size_bytes - self.position

    def peek(self, length: int) -> bytes:
        """Return the next `length` bytes, or all that are left, and stay where it is."""
        at = self._require(min(length, self.remaining_bytes))
        return self._window[at : at + length]

    def take(self, length: int) -> bytes:
        """Return the next `length` bytes."""
        at = self._require(length)
        self.position += length
        return self._window[at : at + length]

    def unpack(self, layout: struct.Struct) -> tuple[int | float | bool, ...]:
        """Return the next values, laid out as `layout`."""
        at = self._require(layout.size)
        self.position += layout.size
        return layout.unpack_from(self._window, at)

    def length(self) -> int:
        """Return the next unsigned 64-bit number."""
        at = self._require(8)
        self.position += 8
        return _LENGTH.unpack_from(self._window, at)[0]

    def skip(self, length: int) -> None:
        """Move on by `length` bytes."""
        self._check(length)
        self.position += length

    def skip_strings(self, count: int) -> None:
        """Move on by `count` strings (u64 length, bytes) without making objects of them."""
        self._check(count * _LENGTH.size)
        while count:
            at = self._require(_LENGTH.size)
            end, walked = walk_strings(self._window, at, count)
            count -= walked
            self.skip(end - at)

    def _require(self, length: int) -> int:
        """Return where in the window the position lies, with at least `length` bytes after it."""
        at = self.position - self._window_start
        if at < 0 or at + length > len(self._window):
            self._check(length)
            self._read_window(length)
            return 0
        return at

    def _read_window(self, length: int) -> None:
        self._window = b""  # first, so that there are never two
        self._window = self._source.read_at(self.position, max(length, self._next_window_bytes))
        self._window_start = self.position
        self._next_window_bytes = min(self._next_window_bytes * _GROWTH, LARGEST_WINDOW_BYTES)
        if len(self._window) < length:
            raise FileUnreadable(self._source.path, "it became shorter while it was being read")

    def _check(self, length: int) -> None:
        if length > self.remaining_bytes:
            self._refuse(length)

    def _refuse(self, length: int) -> NoReturn:
        path = self._source.path
        if length > _LONGEST_CLAIM_BYTES:
            raise GgufDamaged(path, f"its header claims a value of {length:,} bytes")
        raise GgufTruncated(path, self.position + length, self._size_bytes)
