"""Memory is read where there is some, and an error where there is none."""

import ctypes

import pytest

from quern.llama.own_memory import PIPE_BYTES, OwnMemory


def test_reads_what_is_there() -> None:
    buffer = ctypes.create_string_buffer(b"in memory", 32)
    with OwnMemory() as memory:
        assert memory.read(ctypes.addressof(buffer), 9) == b"in memory"
        assert memory.read(ctypes.addressof(buffer) + 3, 6) == b"memory"


@pytest.mark.parametrize("address", [0, 8, 0xDEAD_0000_0000, (1 << 64) - 4096])
def test_an_address_without_memory_is_an_error_and_no_fault(address: int) -> None:
    buffer = ctypes.create_string_buffer(b"still readable", 16)
    with OwnMemory() as memory:
        with pytest.raises(OSError):
            memory.read(address, 8)
        assert memory.read(ctypes.addressof(buffer), 5) == b"still"


@pytest.mark.parametrize("length", [0, -1, PIPE_BYTES + 1])
def test_no_more_than_a_pipe_holds(length: int) -> None:
    with OwnMemory() as memory, pytest.raises(ValueError, match="too many"):
        memory.read(id(memory), length)
