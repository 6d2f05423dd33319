"""A switch that stops a running computation without the GIL."""

import ctypes

from .binding import lib
from .system import strlen_address


class AbortSwitch:
    """Owns the two bytes that llama.cpp polls before every graph node, about 500 times a token.

    The callback that it calls is libc's `strlen` on this buffer: `00 00` has length 0 (go on), `01 00` length 1 (stop).
    Any thread may flip it at any time. Must outlive the context that it is attached to.
    """

    def __init__(self) -> None:
        self._flag = ctypes.create_string_buffer(2)
        self.callback = lib.ggml_abort_callback(strlen_address())

    @property
    def address(self) -> int:
        """Address of the flag: the callback's user data."""
        return ctypes.addressof(self._flag)

    @property
    def is_set(self) -> bool:
        """Whether computations stop now."""
        return self._flag.raw[0] != 0

    def set(self) -> None:
        """Stop the running computation and every later one, until cleared."""
        self._flag[0] = b"\x01"

    def clear(self) -> None:
        """Let computations run again."""
        self._flag[0] = b"\x00"
