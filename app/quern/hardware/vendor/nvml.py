"""NVIDIA GPUs as NVML tells of them (nvidia-ml-py; NVML API reference, device queries and return codes)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from quern.hardware.address import pci_address
from quern.hardware.gpu import Gpu, GpuFault, Vendor

Value = TypeVar("Value")
Handle = object

# nvmlReturn_t (nvml.h).
NOT_FOUND = 6
_FAULTS = {
    4: GpuFault.NO_PERMISSION,
    9: GpuFault.NO_DRIVER,  # NVML_ERROR_DRIVER_NOT_LOADED
    12: GpuFault.NO_DRIVER,  # NVML_ERROR_LIBRARY_NOT_FOUND
    15: GpuFault.LOST,  # NVML_ERROR_GPU_IS_LOST: "the GPU has fallen off the bus or has otherwise become inaccessible"
    16: GpuFault.LOST,  # NVML_ERROR_RESET_REQUIRED
    18: GpuFault.DRIVER_MISMATCH,  # NVML_ERROR_LIB_RM_VERSION_MISMATCH
}


class MemoryInfo(Protocol):
    """nvmlMemory_t, in bytes; `total` and `free` are ints."""

    total: int
    free: int


class PciInfo(Protocol):
    """nvmlPciInfo_t; `busId` is bytes or text, as the binding's version has it."""

    busId: bytes | str  # noqa: N815  # NVML's name


class Nvml(Protocol):
    """The functions of module `pynvml` that are asked; each raises pynvml.NVMLError, whose `value` is the code."""

    def nvmlInit(self) -> object: ...  # noqa: N802, D102  # NVML's names from here on
    def nvmlShutdown(self) -> object: ...  # noqa: N802, D102
    def nvmlSystemGetDriverVersion(self) -> str | bytes: ...  # noqa: N802, D102
    def nvmlSystemGetCudaDriverVersion_v2(self) -> int: ...  # noqa: N802, D102
    def nvmlDeviceGetCount(self) -> int: ...  # noqa: N802, D102
    def nvmlDeviceGetHandleByIndex(self, index: int) -> Handle: ...  # noqa: N802, D102
    def nvmlDeviceGetName(self, handle: Handle) -> str | bytes: ...  # noqa: N802, D102
    def nvmlDeviceGetPciInfo(self, handle: Handle) -> PciInfo: ...  # noqa: N802, D102
    def nvmlDeviceGetMemoryInfo(self, handle: Handle) -> MemoryInfo: ...  # noqa: N802, D102
    def nvmlDeviceGetCudaComputeCapability(self, handle: Handle) -> tuple[int, int]: ...  # noqa: N802, D102
    def nvmlDeviceGetMigMode(self, device: Handle) -> list[int]: ...  # noqa: N802, D102
    def nvmlDeviceGetMaxMigDeviceCount(self, device: Handle) -> int: ...  # noqa: N802, D102
    def nvmlDeviceGetMigDeviceHandleByIndex(self, device: Handle, index: int) -> Handle: ...  # noqa: N802, D102


@dataclass(frozen=True, slots=True)
class NvidiaAnswer:
    """The GPUs that NVML knows, or the `fault` that keeps it from answering at all."""

    gpus: tuple[Gpu, ...] = ()
    fault: GpuFault | None = None


def nvidia_gpus(nvml: Nvml) -> NvidiaAnswer:
    """Ask `nvml` for every GPU. Opened and closed here: an open NVML keeps a laptop's GPU awake."""
    code = _code_of(nvml.nvmlInit)
    if code is not None:
        return NvidiaAnswer(fault=_fault(code))
    try:
        driver, platform = _driver(nvml)
        count = _asked(nvml.nvmlDeviceGetCount, 0)
        found = (gpu for index in range(count) for gpu in _gpus_at(nvml, index))
        return NvidiaAnswer(tuple(replace(gpu, driver=driver, platform=platform) for gpu in found))
    finally:
        _code_of(nvml.nvmlShutdown)


def _driver(nvml: Nvml) -> tuple[str | None, str | None]:
    """Return the driver's version and the newest CUDA that it runs (1000 * major + 10 * minor), as text."""
    version = _text(_asked(nvml.nvmlSystemGetDriverVersion, ""))
    cuda = _asked(nvml.nvmlSystemGetCudaDriverVersion_v2, 0)
    return version or None, f"CUDA {cuda // 1000}.{cuda % 1000 // 10}" if cuda else None


def _gpus_at(nvml: Nvml, index: int) -> tuple[Gpu, ...]:
    """Return one card, or its partitions where it is split up (MIG)."""
    try:
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
    except Exception as error:
        return (Gpu(vendor=Vendor.NVIDIA, name="NVIDIA GPU", fault=_fault(_error_code(error))),)
    card = _gpu(nvml, handle)
    is_split = _asked(lambda: nvml.nvmlDeviceGetMigMode(handle), [0])[0] == 1
    if not is_split or card.fault is not None:
        return (card,)
    partitions = tuple(_partitions(nvml, handle, card))
    return partitions or (replace(card, fault=GpuFault.NOT_PARTITIONED),)


def _partitions(nvml: Nvml, handle: Handle, card: Gpu) -> list[Gpu]:
    found: list[Gpu] = []
    for index in range(_asked(lambda: nvml.nvmlDeviceGetMaxMigDeviceCount(handle), 0)):
        try:
            partition = nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, index)
        except Exception as error:
            if _error_code(error) == NOT_FOUND:
                continue
            break
        found.append(replace(_gpu(nvml, partition), address=card.address, target=card.target))
    return found


def _gpu(nvml: Nvml, handle: Handle) -> Gpu:
    """Describe one card or partition. Without memory of its own (NVML: not supported) it works in the machine's."""
    fault: GpuFault | None = None
    memory = None
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    except Exception as error:
        fault = _FAULTS.get(_error_code(error))
    capability = _asked(lambda: nvml.nvmlDeviceGetCudaComputeCapability(handle), None)
    pci = _asked(lambda: nvml.nvmlDeviceGetPciInfo(handle), None)
    return Gpu(
        vendor=Vendor.NVIDIA,
        name=_text(_asked(lambda: nvml.nvmlDeviceGetName(handle), "")) or "NVIDIA GPU",
        total=None if memory is None else int(memory.total),
        free=None if memory is None else int(memory.free),
        target=None if capability is None else f"{capability[0]}.{capability[1]}",
        is_unified=memory is None and fault is None,
        address=None if pci is None else pci_address(_text(pci.busId)),
        fault=fault,
    )


def _asked(question: Callable[[], Value], otherwise: Value) -> Value:
    """Return NVML's answer, `otherwise` where it refuses."""
    try:
        return question()
    except Exception as error:
        _error_code(error)
        return otherwise


def _code_of(call: Callable[[], object]) -> int | None:
    """Return the code that `call` failed with, None where it did not."""
    try:
        call()
    except Exception as error:
        return _error_code(error)
    return None


def _error_code(error: Exception) -> int:
    """Return NVML's code. Raises `error` again where it is not NVML's."""
    code = getattr(error, "value", None)
    if not isinstance(code, int):
        raise error
    return code


def _fault(code: int) -> GpuFault:
    return _FAULTS.get(code, GpuFault.DRIVER_FAILED)


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def load_nvml() -> Nvml:
    """Return NVIDIA's binding. Importing it loads no library yet; `nvmlInit` does."""
    import pynvml

    return pynvml
