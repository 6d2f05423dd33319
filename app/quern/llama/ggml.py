"""ggml's own C functions that llama-cpp-python does not bind: devices, buffer types, GGUF contexts, graph plans."""

import ctypes
from functools import cache

from .binding import library_folder
from .errors import LibraryMissing
from .system import library_file, opened_library

DEVICE_CPU, DEVICE_ACCELERATOR = 0, 3  # ggml_backend_dev_type (ggml-backend.h)


class GgufInitParams(ctypes.Structure):
    """struct gguf_init_params (gguf.h)."""

    _fields_ = (("no_alloc", ctypes.c_bool), ("ctx", ctypes.c_void_p))


class TensorBufferOverride(ctypes.Structure):
    """struct llama_model_tensor_buft_override (llama.h): a regular expression of tensor names, and where they go."""

    _fields_ = (("pattern", ctypes.c_char_p), ("buffer_type", ctypes.c_void_p))


class GraphPlan(ctypes.Structure):
    """struct ggml_cplan (ggml-cpu.h)."""

    _fields_ = (
        ("work_size", ctypes.c_size_t),
        ("work_data", ctypes.c_void_p),
        ("n_threads", ctypes.c_int),
        ("threadpool", ctypes.c_void_p),
        ("abort_callback", ctypes.c_void_p),
        ("abort_callback_data", ctypes.c_void_p),
        ("use_ref", ctypes.c_bool),
    )


@cache
def library(name: str) -> ctypes.CDLL:
    """Return the shared library `name` ("ggml", "ggml-base", "ggml-cpu", "llama"). Raises LibraryMissing.

    ggml's functions are looked up through libllama where the system finds those of its dependencies so. A wheel holds
    each library under every name that a link would have (libggml.so, libggml.so.0): another copy, opened by its path,
    would be a second ggml with devices and buffer types of its own, of which llama.cpp knows nothing.
    """
    path = library_file(library_folder(), opened_library(name))
    if path is None:
        raise LibraryMissing(f"{name} is missing beside llama.cpp")
    return ctypes.CDLL(str(path))


def cpu_buffer_type() -> int:
    """Address of the buffer type of plain machine memory."""
    function = library("ggml-base").ggml_backend_cpu_buffer_type
    function.argtypes, function.restype = [], ctypes.c_void_p
    address = function()
    assert isinstance(address, int), "every build has it"
    return address


def buffer_type_name(address: int) -> str:
    """What a buffer type is called, as log lines call it ("CPU", "AMX", "CUDA0")."""
    function = library("ggml-base").ggml_backend_buft_name
    function.argtypes, function.restype = [ctypes.c_void_p], ctypes.c_char_p
    return (function(address) or b"").decode("utf-8", "replace")


def is_host_memory(address: int) -> bool:
    """Whether a buffer type says that the CPU reads it as it is; what weights are packed into (AMX) does not."""
    function = library("ggml-base").ggml_backend_buft_is_host
    function.argtypes, function.restype = [ctypes.c_void_p], ctypes.c_bool
    return bool(function(address))


def device_of_buffer_type(address: int) -> str | None:
    """Name of the device whose memory a buffer type takes; None for the machine's own.

    Pinned memory of a GPU is the machine's; so is what a CPU packs weights into for special kernels (CPU_REPACK, AMX),
    although that does not call itself host memory.
    """
    function = library("ggml-base").ggml_backend_buft_get_device
    function.argtypes, function.restype = [ctypes.c_void_p], ctypes.c_void_p
    device = function(address)
    return None if device is None or is_host_memory(address) else device_memory(device)


def device_memory(device: int) -> str | None:
    """Name of the device at this address, None where its memory is the machine's own."""
    base = library("ggml-base")
    base.ggml_backend_dev_type.argtypes = base.ggml_backend_dev_name.argtypes = [ctypes.c_void_p]
    base.ggml_backend_dev_name.restype = ctypes.c_char_p
    if base.ggml_backend_dev_type(device) in (DEVICE_CPU, DEVICE_ACCELERATOR):
        return None
    return (base.ggml_backend_dev_name(device) or b"").decode("utf-8", "replace")


def gguf_from_file(path: bytes) -> int | None:
    """Return a gguf_context of a file's metadata (see `gguf_free`), None where it cannot be read."""
    function = library("ggml-base").gguf_init_from_file
    function.argtypes, function.restype = [ctypes.c_char_p, GgufInitParams], ctypes.c_void_p
    return function(path, GgufInitParams(no_alloc=True, ctx=None))


def gguf_free(context: int) -> None:
    """Free a gguf_context."""
    function = library("ggml-base").gguf_free
    function.argtypes, function.restype = [ctypes.c_void_p], None
    function(context)


def work_bytes(graph: int, n_threads: int) -> int:
    """Bytes of the buffer that the CPU works in while it computes a ggml_cgraph with so many threads."""
    function = library("ggml-cpu").ggml_graph_plan
    function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p], GraphPlan
    return int(function(graph, n_threads, None).work_size)
