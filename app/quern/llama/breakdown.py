"""llama.cpp's own account of a context's memory: `llama_get_memory_breakdown` (src/llama-ext.h), by device.

The functions are C++: their names are mangled (Itanium ABI: Linux, macOS), they return a std::map by value, and none of
them is a promise. What they say is therefore believed only where the log lines say the same (`log_figures`); where they
are missing or disagree, BreakdownUnreadable sends the caller to the log lines.
"""

import ctypes
from dataclasses import dataclass

from .binding import lib
from .cxx_map import WORD_BYTES, Entries, UnexpectedLayout, read_map
from .errors import LibraryMissing
from .ggml import buffer_type_name, device_of_buffer_type, is_host_memory, library
from .own_memory import OwnMemory
from .system import map_layout

HOST = "CPU"

_BREAKDOWN = "_Z26llama_get_memory_breakdownPK13llama_context"
_RECURRENT = "_ZNK22llama_memory_recurrent16memory_breakdownEv"
# Classes of memories that hold an attention and a recurrent part, and the function that returns the latter.
_HYBRIDS = {
    "_ZTV19llama_memory_hybrid": "_ZNK19llama_memory_hybrid12get_mem_recrEv",
    "_ZTV23llama_memory_hybrid_idx": "_ZNK19llama_memory_hybrid12get_mem_recrEv",
    "_ZTV24llama_memory_hybrid_iswa": "_ZNK24llama_memory_hybrid_iswa12get_mem_recrEv",
}
_PURE = "_ZTV22llama_memory_recurrent"
_VTABLE_HEAD_BYTES = 2 * WORD_BYTES  # offset to top, type information (Itanium C++ ABI 2.5.2)


class BreakdownUnreadable(Exception):
    """This build does not answer, or not in the way that is known."""


class _ReturnedMap(ctypes.Structure):
    """Room for a std::map of either library, which is returned through a hidden pointer."""

    _fields_ = (("bytes", ctypes.c_ubyte * 48),)


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferUse:
    """Bytes in buffers of one type. `device` is whose memory that is.

    `is_plain` says that the CPU reads it as it is: weights there may be mapped from the file.
    """

    buffer_type: str
    device: str
    is_plain: bool
    weights: int = 0
    kv: int = 0
    recurrent: int = 0
    compute: int = 0


def read_breakdown(context: lib.llama_context_p) -> tuple[BufferUse, ...]:
    """Return what `context` and its model take. Raises BreakdownUnreadable."""
    try:
        parts = _call(_BREAKDOWN, context, 3)
        memory = lib.llama_get_memory(context)
        recurrent = {} if memory is None else _recurrent_part(memory)
    except (
        UnexpectedLayout,
        LibraryMissing,
        ValueError,
        AttributeError,
        OSError,
    ) as error:  # the last three: no symbol
        raise BreakdownUnreadable(str(error)) from error
    return tuple(_use(address, words, recurrent.get(address, (0,))[0]) for address, words in parts.items())


def _use(address: int, words: tuple[int, ...], recurrent: int) -> BufferUse:
    weights, context, compute = words
    return BufferUse(
        buffer_type=buffer_type_name(address),
        device=device_of_buffer_type(address) or HOST,
        is_plain=is_host_memory(address),
        weights=weights,
        kv=context - recurrent,
        recurrent=recurrent,
        compute=compute,
    )


def _recurrent_part(memory: int) -> Entries:
    """Return bytes of recurrent state by buffer type; empty where the memory has none."""
    with OwnMemory() as own:
        vtable = int.from_bytes(own.read(memory, WORD_BYTES), "little")
    if vtable == _vtable(_PURE):
        return _call(_RECURRENT, memory, 1)
    for name, getter in _HYBRIDS.items():
        if vtable == _vtable(name):
            part = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)((getter, library("llama")))(memory)
            return _call(_RECURRENT, part, 1)
    return {}


def _call(name: str, subject: int, n_value_words: int) -> Entries:
    """Call a function of one pointer that returns a std::map, and read that; AttributeError where it is missing."""
    function = ctypes.CFUNCTYPE(_ReturnedMap, ctypes.c_void_p)((name, library("llama")))
    with OwnMemory() as own:
        return read_map(bytes(function(subject)), map_layout(), n_value_words, own.read)


def _vtable(name: str) -> int:
    """Where objects of the class point to; raises ValueError where the build has no such class."""
    symbol = ctypes.c_void_p.in_dll(library("llama"), name)
    return ctypes.addressof(symbol) + _VTABLE_HEAD_BYTES
