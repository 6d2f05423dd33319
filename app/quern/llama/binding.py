"""The only import of llama_cpp: its low-level API as `lib`, without what the package brings along.

`import llama_cpp` runs an `__init__` that imports the high-level class with jinja2, numpy and a disk cache (0.15 s and
20 MB). Quern uses `llama_cpp.llama_cpp` alone (ctypes over llama.h, 0.03 s), so a bare package module stands in for
the package while its submodule is imported.
"""

import ctypes
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar, cast

from .errors import LibraryMissing
from .system import make_threads_yield

P = ParamSpec("P")
R = TypeVar("R")

PACKAGE = "llama_cpp"


def _stand_in_for_package() -> None:
    """Put a package module without an `__init__` into sys.modules, unless somebody has imported the real one."""
    if PACKAGE in sys.modules:
        return
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.submodule_search_locations is None:
        raise LibraryMissing("llama-cpp-python is not installed")
    package = ModuleType(PACKAGE)
    package.__spec__ = importlib.machinery.ModuleSpec(PACKAGE, None, is_package=True)
    package.__path__ = package.__spec__.submodule_search_locations = list(found.submodule_search_locations)
    sys.modules[PACKAGE] = package


_stand_in_for_package()
make_threads_yield()
try:
    import llama_cpp.llama_cpp as lib
except (OSError, RuntimeError) as error:
    raise LibraryMissing(str(error)) from error


def library_folder() -> Path:
    """Folder of the shared libraries (llama-cpp-python honours LLAMA_CPP_LIB_PATH)."""
    asked = os.environ.get("LLAMA_CPP_LIB_PATH")
    return Path(asked) if asked else Path(sys.modules[PACKAGE].__path__[0]) / "lib"


def keeping_gil(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function` (a ctypes function of `lib`) as one that keeps the GIL while it runs.

    For calls of microseconds: giving the GIL away costs up to a switch interval (5 ms) to get it back from a busy
    thread, which is half of a token.
    """
    foreign = cast("Any", function)
    prototype = cast("Any", ctypes.PYFUNCTYPE(foreign.restype, *foreign.argtypes))
    return cast("Callable[P, R]", prototype(ctypes.cast(foreign, ctypes.c_void_p).value))


__all__ = ["keeping_gil", "lib", "library_folder"]
