"""The library as a whole: started once, asked what it is and which devices it sees."""

import ctypes
import os
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from .binding import lib, library_folder
from .errors import LibraryMissing
from .log import take_over_log
from .system import library_file


class DeviceKind(IntEnum):
    """ggml_backend_dev_type (ggml-backend.h)."""

    CPU = 0
    GPU = 1
    INTEGRATED_GPU = 2
    ACCELERATOR = 3
    META = 4


@dataclass(frozen=True, slots=True)
class Device:
    """One device that ggml can compute on. The CPU's memory figures are those of the whole machine."""

    name: str
    description: str
    kind: DeviceKind
    free_bytes: int
    total_bytes: int


class Backend:
    """Owns the started library. There is one a process (`start`), which lives until the process ends."""

    def __init__(self) -> None:
        # Otherwise ggml forks a debugger to print a stack when it aborts.
        os.environ.setdefault("GGML_NO_BACKTRACE", "1")
        take_over_log()
        lib.llama_backend_init()
        self._ggml = _open("ggml")
        self._base = _open("ggml-base")
        if self.n_devices == 0:  # a build whose backends are plug-ins
            self._ggml.ggml_backend_load_all_from_path(os.fsencode(library_folder()))

    @staticmethod
    @cache
    def start() -> "Backend":
        """Start the library, once; raises LibraryMissing."""
        return Backend()

    @property
    def system_info(self) -> str:
        """llama.cpp's line about the CPU features and backends it was built with."""
        return lib.llama_print_system_info().decode("utf-8", "replace")

    @property
    def n_devices(self) -> int:
        """How many devices ggml sees, the CPU included."""
        return int(self._ggml.ggml_backend_dev_count())

    def devices(self) -> tuple[Device, ...]:
        """Every device that ggml sees, in its order."""
        return tuple(self._device(index) for index in range(self.n_devices))

    def _device(self, index: int) -> Device:
        handle = ctypes.c_void_p(self._ggml.ggml_backend_dev_get(ctypes.c_size_t(index)))
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self._base.ggml_backend_dev_memory(handle, ctypes.byref(free), ctypes.byref(total))
        return Device(
            name=_text(self._base.ggml_backend_dev_name(handle)),
            description=_text(self._base.ggml_backend_dev_description(handle)),
            kind=DeviceKind(self._base.ggml_backend_dev_type(handle)),
            free_bytes=free.value,
            total_bytes=total.value,
        )


def _open(name: str) -> ctypes.CDLL:
    path = library_file(library_folder(), name)
    if path is None:
        raise LibraryMissing(f"{name} is missing beside llama.cpp")
    library = ctypes.CDLL(str(path))
    if name == "ggml":
        library.ggml_backend_dev_count.restype = ctypes.c_size_t
        library.ggml_backend_dev_get.restype = ctypes.c_void_p
    else:
        library.ggml_backend_dev_name.restype = ctypes.c_char_p
        library.ggml_backend_dev_description.restype = ctypes.c_char_p
    return library


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace").strip()
