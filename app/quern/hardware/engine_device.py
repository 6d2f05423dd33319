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
    """The installed llama.cpp: its version, a name of the build, its own line of features, backends, devices."""

    version: str
    build: str
    system_info: str
    backends: tuple[str, ...]
    devices: tuple[EngineDevice, ...]
