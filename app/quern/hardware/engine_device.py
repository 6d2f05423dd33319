"""What the installed engine says of itself and of the devices it can compute on."""

from dataclasses import dataclass
from enum import StrEnum


class DeviceKind(StrEnum):
    """ggml_backend_dev_type (ggml-backend.h) in words."""

    CPU = "cpu"
    GPU = "gpu"
    INTEGRATED_GPU = "integrated_gpu"
    ACCELERATOR = "accelerator"
    META = "meta"


GPU_KINDS = frozenset({DeviceKind.GPU, DeviceKind.INTEGRATED_GPU, DeviceKind.META})


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineDevice:
    """One device of the engine. `name` is "CPU", "CUDA0"; `backend` "CPU", "CUDA"; `address` as in Gpu, where known."""

    name: str
    description: str
    kind: DeviceKind
    backend: str
    free: int
    total: int
    address: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineInfo:
    """The installed llama.cpp: its version, a name of the build, its own line of features, backends, devices.

    `backends` are all that the build can drive, those without a device too. `complaint` is the error that it wrote
    while it looked for devices, `cuda_runtime` the CUDA version it brings ("12.4"), `hidden_by` the environment
    variables, as NAME=VALUE, that keep devices from it.
    """

    version: str
    build: str
    system_info: str
    backends: tuple[str, ...]
    devices: tuple[EngineDevice, ...]
    complaint: str = ""
    cuda_runtime: str | None = None
    hidden_by: tuple[str, ...] = ()

    @property
    def gpu_devices(self) -> tuple[EngineDevice, ...]:
        """The devices that are GPUs; without any, models run on the CPU."""
        return tuple(device for device in self.devices if device.kind in GPU_KINDS)
