"""Windows, asked through the registry and kernel32."""

import platform
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quern.hardware.cpu import Cpu
from quern.hardware.gpu import Gpu
from quern.hardware.memory import Memory
from quern.hardware.place import Place
from quern.hardware.vendor.nvml import Nvml
from quern.hardware.vendor.windows import windows_gpus

from .registry import Registry

# IsProcessorFeaturePresent (Windows SDK, winnt.h) -> Quern's spelling.
_FEATURES = {
    13: "sse3",
    19: "neon",
    36: "ssse3",
    38: "sse4_2",
    39: "avx",
    40: "avx2",
    41: "avx512f",
    43: "dotprod",
}
_CPU_KEY = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
_DISPLAY_CLASS_KEY = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
_CORE_RELATION = 0  # LOGICAL_PROCESSOR_RELATIONSHIP RelationProcessorCore (winnt.h)


@dataclass(frozen=True, slots=True)
class Core:
    """One physical core: its efficiency class (the fastest kind has the highest) and how many threads it runs."""

    efficiency_class: int
    n_threads: int


def cores_of(buffer: bytes) -> tuple[Core, ...]:
    """Read what GetLogicalProcessorInformationEx(RelationProcessorCore) writes.

    Records of Relationship (4 bytes), Size (4), then PROCESSOR_RELATIONSHIP: Flags (1), EfficiencyClass (1), 20 bytes,
    GroupCount (2) and that many GROUP_AFFINITY: Mask (8), Group (2), 6 bytes (winnt.h, 64 bit).
    """
    return tuple(_cores(buffer))


def _cores(buffer: bytes) -> Iterator[Core]:
    offset = 0
    while offset + 32 <= len(buffer):
        relation, size, _, efficiency_class, n_groups = struct.unpack_from("<IIBB20xH", buffer, offset)
        if size < 32:
            return
        if relation == _CORE_RELATION and offset + 32 + 16 * n_groups <= len(buffer):
            masks = (struct.unpack_from("<Q8x", buffer, offset + 32 + 16 * group)[0] for group in range(n_groups))
            yield Core(efficiency_class, sum(int(mask).bit_count() for mask in masks))
        offset += size


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowsCalls:
    """The calls into Windows that `WindowsSystem` makes.

    `core_buffer` is as `cores_of` reads it, `slept_s` how long the machine has slept since it was started.
    """

    has_feature: Callable[[int], bool]
    core_buffer: Callable[[], bytes]
    n_cpus: Callable[[], int]
    memory: Callable[[], Memory]
    slept_s: Callable[[], float]


class WindowsSystem:
    """Asks the registry for names, drivers and GPUs, kernel32 for features and cores, psutil for memory."""

    def __init__(self, registry: Registry, calls: WindowsCalls, nvml: Callable[[], Nvml]) -> None:
        self._registry = registry
        self._calls = calls
        self._nvml = nvml

    def place(self) -> Place:
        """Tell that this is Windows."""
        return Place(system="Windows")

    def cpu(self) -> Cpu:
        """Describe the CPU; the cores of the highest efficiency class are the fast ones."""
        cores = cores_of(self._calls.core_buffer())
        n_logical = sum(core.n_threads for core in cores) or self._calls.n_cpus()
        fastest = max((core.efficiency_class for core in cores), default=0)
        has_feature = self._calls.has_feature
        name = str(self._registry.values(_CPU_KEY).get("ProcessorNameString", "")).strip()
        return Cpu(
            brand=name or platform.machine(),
            architecture=platform.machine(),
            n_physical_cores=len(cores) or n_logical,
            n_logical_cores=n_logical,
            n_performance_cores=sum(core.efficiency_class == fastest for core in cores) or n_logical,
            n_usable_threads=n_logical,
            features=tuple(sorted(name for number, name in _FEATURES.items() if has_feature(number))),
        )

    def memory(self) -> Memory:
        """Describe memory as psutil measures it."""
        return self._calls.memory()

    def gpus(self) -> tuple[Gpu, ...]:
        """Describe the GPUs that are there now."""
        return windows_gpus(self._registry, self._nvml)

    def stamp(self) -> str:
        """Return what changes with a sleep, a driver or a card."""
        entries = (
            self._registry.values(rf"{_DISPLAY_CLASS_KEY}\{key}")
            for key in self._registry.keys(_DISPLAY_CLASS_KEY)
            if key.isdecimal()
        )
        drivers = " ".join(f"{entry.get('DriverDesc', '')} {entry.get('DriverVersion', '')}" for entry in entries)
        return f"{round(self._calls.slept_s())}|{drivers}"
