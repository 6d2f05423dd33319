"""Which devices llama.cpp offloads to, and what their memory is like."""

from collections.abc import Iterable
from dataclasses import dataclass

from quern.hardware import DeviceKind, EngineDevice

_RPC = "RPC"


def offload_devices(devices: Iterable[EngineDevice]) -> tuple[EngineDevice, ...]:
    """Return those of the engine's `devices` that a model is spread over, in llama.cpp's order (src/llama.cpp).

    Servers reached over the network come first, then GPUs with a memory of their own, each card once even where two
    backends see it; only where there is none of these, integrated GPUs of one backend.
    """
    remote: list[EngineDevice] = []
    own: list[EngineDevice] = []
    integrated: list[EngineDevice] = []
    for device in devices:
        if device.kind is DeviceKind.GPU and device.backend == _RPC:
            remote.append(device)
        elif device.kind is DeviceKind.GPU:
            if device.address is None or all(device.address != other.address for other in own):
                own.append(device)
        elif device.kind is DeviceKind.INTEGRATED_GPU and (not integrated or device.backend == integrated[-1].backend):
            integrated.append(device)
    return tuple(remote + (own or integrated))


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """How a backend lays tensors out: each at a multiple of `alignment`; the last row of a quantized one is filled up
    to a multiple of `row_elements` (1: never). `has_pinned` says that the CPU's weights then lie in memory pinned for
    it, which no special CPU kernel reads. `computes_for_cpu` says that it takes over large batches of layers that
    stayed on the CPU, copying their weights (ggml-backend.cpp, op_offload).
    """

    alignment: int
    row_elements: int
    has_pinned: bool
    computes_for_cpu: bool


# From the buffer types of each backend (ggml/src/ggml-*/: get_alignment, get_alloc_size, get_host_buffer_type and
# offload_op). Vulkan's alignment is the card's; 256 is the most that drivers ask for.
_PADDED = DeviceMemory(alignment=128, row_elements=512, has_pinned=True, computes_for_cpu=True)
_MEMORY: dict[str, DeviceMemory] = {
    "CUDA": _PADDED,
    "ROCm": _PADDED,
    "MUSA": _PADDED,
    "SYCL": _PADDED,
    "Vulkan": DeviceMemory(alignment=256, row_elements=1, has_pinned=True, computes_for_cpu=True),
    "CANN": DeviceMemory(alignment=128, row_elements=1, has_pinned=True, computes_for_cpu=True),
    "MTL": DeviceMemory(alignment=32, row_elements=1, has_pinned=False, computes_for_cpu=True),
}
_PLAIN = DeviceMemory(alignment=32, row_elements=1, has_pinned=False, computes_for_cpu=False)


def memory_of(device: EngineDevice) -> DeviceMemory:
    """Return how `device` lays tensors out; plainly where its backend is not known."""
    return _MEMORY.get(device.backend, _PLAIN)
