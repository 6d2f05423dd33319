"""How much memory a multimodal projector takes: `mtmd_get_memory_usage` (tools/mtmd/mtmd.h), allocating nothing."""

import ctypes
import os
from pathlib import Path

from .backend import Backend
from .breakdown import HOST
from .cxx_map import read_map
from .errors import LibraryMissing, LoadRefused
from .ggml import device_memory, library
from .own_memory import OwnMemory
from .system import map_layout

_USAGE = "_Z21mtmd_get_memory_usagePKc19mtmd_context_params"


class ProjectorParams(ctypes.Structure):
    """struct mtmd_context_params (tools/mtmd/mtmd.h)."""

    _fields_ = (
        ("use_gpu", ctypes.c_bool),
        ("device", ctypes.c_void_p),
        ("print_timings", ctypes.c_bool),
        ("n_threads", ctypes.c_int),
        ("image_marker", ctypes.c_char_p),
        ("media_marker", ctypes.c_char_p),
        ("flash_attn_type", ctypes.c_int),
        ("warmup", ctypes.c_bool),
        ("image_min_tokens", ctypes.c_int),
        ("image_max_tokens", ctypes.c_int),
        ("cb_eval", ctypes.c_void_p),
        ("cb_eval_user_data", ctypes.c_void_p),
        ("batch_max_tokens", ctypes.c_int32),
        ("progress_callback", ctypes.c_void_p),
        ("progress_callback_user_data", ctypes.c_void_p),
    )


class _ReturnedMap(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_ubyte * 48),)


def projector_use(path: Path, *, uses_gpu: bool, n_threads: int) -> dict[str, int]:
    """Return bytes by device, the machine's memory as "CPU": weights, and compute for an image of the warm-up's size.

    Raises LoadRefused where llama.cpp does not take the file, or does not tell.
    """
    Backend.start()
    try:
        mtmd = library("mtmd")
        usage = ctypes.CFUNCTYPE(_ReturnedMap, ctypes.c_char_p, ProjectorParams)((_USAGE, mtmd))
        defaults = ctypes.CFUNCTYPE(ProjectorParams)(("mtmd_context_params_default", mtmd))
    except (LibraryMissing, AttributeError) as error:
        raise LoadRefused("this engine does not say what a projector takes") from error
    params = defaults()
    params.use_gpu, params.n_threads, params.print_timings = uses_gpu, n_threads, False
    found = bytes(usage(os.fsencode(path), params))
    with OwnMemory() as own:
        entries = read_map(found, map_layout(), 1, own.read)
    if not entries:
        raise LoadRefused("its projector cannot be read")
    sums: dict[str, int] = {}
    for device, (n_bytes,) in entries.items():
        name = device_memory(device) or HOST
        sums[name] = sums.get(name, 0) + n_bytes
    return sums
