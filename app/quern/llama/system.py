"""What differs between platforms at the native shore: file names, `strlen`, how threads wait, the C++ library."""

import ctypes
import os
import sys
from collections.abc import MutableMapping
from pathlib import Path

from .cxx_map import LIBCXX, LIBSTDCXX, MapLayout

LIBRARY_NAMES = {"linux": ("lib{}.so",), "darwin": ("lib{}.dylib", "lib{}.so"), "win32": ("{}.dll", "lib{}.dll")}

# How often a thread of GNU OpenMP looks before it sleeps at a barrier, of which a decode step has about 2,000. Its own
# default spins for milliseconds: fine alone, but beside one busy process on 2 cores the starter model then decodes
# 0.9 tokens/s, and 17-20 with 1,000 looks (idle machine: 62-68 and 70-75).
BARRIER_SPINS = "1000"


def make_threads_yield(environ: MutableMapping[str, str] = os.environ) -> None:
    """Let OpenMP threads go to sleep soon at a barrier. Only has effect before the library is loaded."""
    if "OMP_WAIT_POLICY" not in environ:
        environ.setdefault("GOMP_SPINCOUNT", BARRIER_SPINS)


def library_file(folder: Path, name: str, platform: str = sys.platform) -> Path | None:
    """Path of the shared library `name` ("ggml", "llama") in `folder`, or None where there is none."""
    candidates = (folder / pattern.format(name) for pattern in LIBRARY_NAMES.get(platform, LIBRARY_NAMES["linux"]))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def opened_library(name: str, platform: str = sys.platform) -> str:
    """Return the library through which the functions of library `name` are found: that of a handle's dependencies too
    with dlsym(3), its own alone on Windows, which has one file of each and tells modules apart by their names.
    """
    return "llama" if name.startswith("ggml") and platform != "win32" else name


def strlen_address(platform: str = sys.platform) -> int:
    """Address of the C library's `strlen`: a native `size_t (const char *)` that never needs the GIL."""
    libc = ctypes.CDLL("ucrtbase" if platform == "win32" else None)
    address = ctypes.cast(libc.strlen, ctypes.c_void_p).value
    assert address is not None, "every C library has strlen"
    return address


def map_layout(platform: str = sys.platform) -> MapLayout:
    """How the C++ library that llama.cpp is built with lays out a std::map: Apple's is libc++, elsewhere GNU's."""
    return LIBCXX if platform == "darwin" else LIBSTDCXX
