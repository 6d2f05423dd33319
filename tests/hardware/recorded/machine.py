"""One recorded machine, and the engines that may be installed on it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from quern.base import QuernError
from quern.hardware import DeviceKind, EngineDevice, EngineInfo, GapCause, Gpu, Memory, Place
from quern.hardware.system import System

GIB = 1 << 30
X86_BUILD = "CPU : SSE3 = 1 | SSSE3 = 1 | AVX = 1 | AVX2 = 1 | F16C = 1 | FMA = 1 | BMI2 = 1 | OPENMP = 1"
PIP = (
    "python -m pip install --force-reinstall --no-deps --no-cache-dir --no-binary llama-cpp-python "
    "llama-cpp-python==0.3.36"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A gap as it must be told; `sentence` and `command` in full."""

    cause: GapCause
    sentence: str
    command: str | None = None
    is_note: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """`build` writes the machine down in a folder and returns its system; the rest is what must be found.

    `fallback` is the cause that a banner over the chat gives for computing on the CPU.
    """

    name: str
    build: Callable[[Path], System]
    place: Place
    memory: Memory
    gpus: tuple[Gpu, ...]
    engine: EngineInfo | QuernError
    gaps: tuple[Told, ...] = ()
    fallback: GapCause | None = field(default=None)


def engine(
    *gpus: EngineDevice,
    backends: tuple[str, ...] = (),
    features: str = X86_BUILD,
    complaint: str = "",
    cuda_runtime: str | None = None,
    hidden_by: tuple[str, ...] = (),
) -> EngineInfo:
    """An installed engine that sees `gpus`; their backends are in the build anyway."""
    cpu = EngineDevice(name="CPU", description="A CPU", kind=DeviceKind.CPU, backend="CPU", free=GIB, total=GIB)
    built = dict.fromkeys((*backends, *(device.backend for device in gpus), "CPU"))
    return EngineInfo(
        version="0.3.36",
        build="0.3.36+0123456789abcdef",
        system_info=features,
        backends=tuple(built),
        devices=(*gpus, cpu),
        complaint=complaint,
        cuda_runtime=cuda_runtime,
        hidden_by=hidden_by,
    )


def seen(name: str, backend: str, description: str, address: str | None = None) -> EngineDevice:
    """A GPU as the engine sees it."""
    kind = DeviceKind.GPU
    return EngineDevice(
        name=name, description=description, kind=kind, backend=backend, free=GIB, total=GIB, address=address
    )
