"""Reads this process's own memory at an address that may be wrong, without the fault that would end the process."""

import ctypes
import os
import sys
from types import TracebackType
from typing import Self

PIPE_BYTES = 4096


class OwnMemory:
    """Owns a pipe. The system copies from an address into it, and answers EFAULT where there is no memory.

    A context manager. On Windows, which has no such call, reads go straight to the address.
    """

    def __init__(self) -> None:
        self._out, self._in = os.pipe()
        self._write = None if sys.platform == "win32" else _system_write()

    def read(self, address: int, length: int) -> bytes:
        """Return `length` bytes (at most 4096) at `address`. Raises OSError where there are none."""
        if not 0 < length <= PIPE_BYTES:
            raise ValueError(f"{length} bytes are too many")
        if self._write is None:
            return ctypes.string_at(address, length)
        written = self._write(self._in, address, length)
        data = os.read(self._out, PIPE_BYTES) if written > 0 else b""
        if len(data) < length:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return data

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._in)
        os.close(self._out)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


def _system_write():
    write = ctypes.CDLL(None, use_errno=True).write
    write.argtypes, write.restype = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t], ctypes.c_ssize_t
    return write
