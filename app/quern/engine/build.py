"""Which build of llama.cpp is installed, found out without loading it."""

import os
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

DISTRIBUTION, PACKAGE = "llama-cpp-python", "llama_cpp"
GPU_MARKS = ("cuda", "hip", "vulkan", "metal", "sycl", "opencl", "musa", "cann")


def library_folder() -> Path | None:
    """Folder of llama.cpp's shared libraries, or None where llama-cpp-python is not installed."""
    if asked := os.environ.get("LLAMA_CPP_LIB_PATH"):
        return Path(asked)
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(next(iter(found.submodule_search_locations))) / "lib"


def engine_version() -> str:
    """Version of llama-cpp-python, "unknown" where its metadata is missing (a bundle without them)."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"


@cache
def engine_build() -> str:
    """A name for the installed build: it changes with the version and with any rebuilt or replaced library."""
    libraries = sorted(_libraries())
    stamps = "\n".join(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in libraries)
    return f"{engine_version()}+{sha256(stamps.encode()).hexdigest()[:16]}"


@cache
def has_gpu_backend() -> bool:
    """Whether the build brings a library for some kind of GPU."""
    return any(mark in path.name.lower() for path in _libraries() for mark in GPU_MARKS)


def _libraries() -> list[Path]:
    folder = library_folder()
    return [path for path in folder.iterdir() if path.is_file()] if folder is not None and folder.is_dir() else []
