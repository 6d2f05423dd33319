"""The library as a whole: started once, asked what it is and which devices it sees."""

import ctypes
import os
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from .binding import lib, library_folder
from .ggml import library
from .log import take_over_log


class DeviceKind(IntEnum):
    """ggml_backend_dev_type (ggml-backend.h)."""

    CPU = 0
    GPU = 1
    INTEGRATED_GPU = 2
    ACCELERATOR = 3
    META = 4


@dataclass(frozen=True, slots=True)
class Device:
    """One device that ggml can compute on. The CPU's memory figures are those of the whole machine.

    `backend` is the registry's name of what drives it ("CUDA", "MTL"); `address` is its PCI address where the backend
    tells one.
    """

    name: str
    description: str
    kind: DeviceKind
    free_bytes: int
    total_bytes: int
    backend: str = ""
    address: str | None = None


class DeviceProps(ctypes.Structure):
    """struct ggml_backend_dev_props (ggml-backend.h), with room for what later versions add to its end."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("description", ctypes.c_char_p),
        ("memory_free", ctypes.c_size_t),
        ("memory_total", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("device_id", ctypes.c_char_p),
        ("caps", ctypes.c_uint8 * 64),
    )


class Backend:
    """Owns the started library. There is one a process (`start`), which lives until the process ends."""

    def __init__(self) -> None:
        # Otherwise ggml forks a debugger to print a stack when it aborts.
        os.environ.setdefault("GGML_NO_BACKTRACE", "1")
        take_over_log()
        lib.llama_backend_init()
        self._ggml = _declared_ggml()
        self._base = _declared_base()
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

    def backends(self) -> tuple[str, ...]:
        """What the build can drive, by the registry's names: "CPU", "CUDA", "ROCm", "MTL", "Vulkan", "SYCL"."""
        count = int(self._ggml.ggml_backend_reg_count())
        handles = (self._ggml.ggml_backend_reg_get(index) for index in range(count))
        return tuple(_text(self._base.ggml_backend_reg_name(handle)) for handle in handles)

    def devices(self) -> tuple[Device, ...]:
        """Every device that ggml sees, in its order. A driver in trouble can end the process here: ask a worker."""
        return tuple(self._device(index) for index in range(self.n_devices))

    def _device(self, index: int) -> Device:
        handle = self._ggml.ggml_backend_dev_get(index)
        props = DeviceProps()
        self._base.ggml_backend_dev_get_props(handle, ctypes.byref(props))
        return Device(
            name=_text(props.name),
            description=_text(props.description),
            kind=DeviceKind(props.type),
            free_bytes=props.memory_free,
            total_bytes=props.memory_total,
            backend=_text(self._base.ggml_backend_reg_name(self._base.ggml_backend_dev_backend_reg(handle))),
            address=_text(props.device_id) or None,
        )


def _declared_ggml() -> ctypes.CDLL:
    ggml = library("ggml")
    ggml.ggml_backend_dev_count.restype = ggml.ggml_backend_reg_count.restype = ctypes.c_size_t
    for function in (ggml.ggml_backend_dev_get, ggml.ggml_backend_reg_get):
        function.argtypes, function.restype = [ctypes.c_size_t], ctypes.c_void_p
    return ggml


def _declared_base() -> ctypes.CDLL:
    base = library("ggml-base")
    base.ggml_backend_dev_get_props.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    base.ggml_backend_dev_get_props.restype = None
    base.ggml_backend_dev_backend_reg.argtypes = [ctypes.c_void_p]
    base.ggml_backend_dev_backend_reg.restype = ctypes.c_void_p
    base.ggml_backend_reg_name.argtypes = [ctypes.c_void_p]
    base.ggml_backend_reg_name.restype = ctypes.c_char_p
    return base


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace").strip()
