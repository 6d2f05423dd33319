"""How each operating system is asked about its CPU and memory: all platform differences of this room."""

import ctypes
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from .cgroup import cgroup_limits
from .cpu import Cpu
from .feature import known_features
from .linux_file import expand_cpu_list, first_values, kibibyte_values, physical_cores, read_text
from .memory import Memory

# IsProcessorFeaturePresent (Windows SDK, winnt.h) -> Quern's spelling.
_WINDOWS_FEATURES = {
    13: "sse3",
    19: "neon",
    36: "ssse3",
    38: "sse4_2",
    39: "avx",
    40: "avx2",
    41: "avx512f",
    43: "dotprod",
}
_MAC_ARM_FEATURES = (
    "hw.optional.AdvSIMD",
    "hw.optional.neon",
    "hw.optional.arm.FEAT_FP16",
    "hw.optional.arm.FEAT_DotProd",
    "hw.optional.arm.FEAT_I8MM",
    "hw.optional.arm.FEAT_BF16",
    "hw.optional.arm.FEAT_SME",
)


class System(Protocol):
    """An operating system that can describe its machine. Both calls take a few milliseconds and never raise OSError."""

    def cpu(self) -> Cpu:
        """Describe the CPU."""
        ...

    def memory(self) -> Memory:
        """Describe the memory as it is now."""
        ...


class LinuxSystem:
    """Reads /proc and /sys below `root`; `n_allowed_cpus` answers how many CPUs the affinity mask leaves."""

    def __init__(self, root: Path, n_allowed_cpus: Callable[[], int]) -> None:
        self._root = root
        self._n_allowed_cpus = n_allowed_cpus

    def cpu(self) -> Cpu:
        """Describe the CPU from /proc/cpuinfo, its topology in /sys and the control groups."""
        text = read_text(self._root / "proc/cpuinfo")
        values = first_values(text)
        cores = physical_cores((self._root / "sys/devices/system/cpu").glob("cpu[0-9]*"))
        n_logical = sum(line.startswith("processor") for line in text.splitlines()) or os.cpu_count() or 1
        n_physical = len(cores) or n_logical
        fast_cpus = expand_cpu_list(read_text(self._root / "sys/devices/cpu_core/cpus"))
        quota = cgroup_limits(self._root).n_cpus
        return Cpu(
            brand=values.get("model name") or read_text(self._root / "proc/device-tree/model") or platform.machine(),
            architecture=platform.machine(),
            n_physical_cores=n_physical,
            n_logical_cores=n_logical,
            n_performance_cores=sum(bool(core & fast_cpus) for core in cores) or n_physical,
            n_usable_threads=min(self._n_allowed_cpus(), quota or n_logical),
            features=known_features((values.get("flags") or values.get("Features") or "").split()),
        )

    def memory(self) -> Memory:
        """Describe memory from /proc/meminfo and the control groups."""
        values = kibibyte_values(read_text(self._root / "proc/meminfo"))
        total = values.get("MemTotal", 0)
        available = values.get("MemAvailable", values.get("MemFree", 0))
        limits = cgroup_limits(self._root)
        return Memory(
            total_bytes=min(total, limits.total_bytes if limits.total_bytes is not None else total),
            available_bytes=min(available, limits.available_bytes if limits.available_bytes is not None else available),
        )


class MacSystem:
    """Asks sysctl, given as a function from a name to its text (None where the name is unknown)."""

    def __init__(self, sysctl: Callable[[str], str | None], memory: Callable[[], Memory]) -> None:
        self._sysctl = sysctl
        self._memory = memory

    def cpu(self) -> Cpu:
        """Describe the CPU; on Apple silicon performance level 0 is the fast kind of core."""
        n_logical = self._integer("hw.logicalcpu") or 1
        n_physical = self._integer("hw.physicalcpu") or n_logical
        intel = f"{self._sysctl('machdep.cpu.features') or ''} {self._sysctl('machdep.cpu.leaf7_features') or ''}"
        arm = (name for name in _MAC_ARM_FEATURES if self._integer(name) == 1)
        return Cpu(
            brand=self._sysctl("machdep.cpu.brand_string") or platform.machine(),
            architecture=platform.machine(),
            n_physical_cores=n_physical,
            n_logical_cores=n_logical,
            n_performance_cores=self._integer("hw.perflevel0.physicalcpu") or n_physical,
            n_usable_threads=n_logical,
            features=known_features((*intel.split(), *arm)),
        )

    def memory(self) -> Memory:
        """Describe memory as psutil measures it."""
        return self._memory()

    def _integer(self, name: str) -> int | None:
        text = self._sysctl(name)
        return int(text) if text is not None and text.isdecimal() else None


class WindowsSystem:
    """Asks the registry for the CPU's name, kernel32 for its features and psutil for counts and memory."""

    def __init__(
        self,
        cpu_name: Callable[[], str],
        has_feature: Callable[[int], bool],
        n_cores: Callable[[], tuple[int, int]],
        memory: Callable[[], Memory],
    ) -> None:
        self._cpu_name = cpu_name
        self._has_feature = has_feature
        self._n_cores = n_cores
        self._memory = memory

    def cpu(self) -> Cpu:
        """Describe the CPU; Windows tells a process nothing simple about kinds of cores, so all count as fast."""
        n_physical, n_logical = self._n_cores()
        return Cpu(
            brand=self._cpu_name().strip() or platform.machine(),
            architecture=platform.machine(),
            n_physical_cores=n_physical,
            n_logical_cores=n_logical,
            n_performance_cores=n_physical,
            n_usable_threads=n_logical,
            features=tuple(sorted(name for number, name in _WINDOWS_FEATURES.items() if self._has_feature(number))),
        )

    def memory(self) -> Memory:
        """Describe memory as psutil measures it."""
        return self._memory()


def this_system() -> System:
    """Return the system that this process runs on; an unknown one is read like Linux, with what it has."""
    match sys.platform:
        case "darwin":
            return MacSystem(_sysctl, _psutil_memory)
        case "win32":
            return WindowsSystem(_registry_cpu_name, _has_processor_feature, _psutil_cores, _psutil_memory)
        case _:
            return LinuxSystem(Path("/"), _n_allowed_cpus)


def _n_allowed_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _psutil_cores() -> tuple[int, int]:
    import psutil

    n_logical = psutil.cpu_count() or 1
    return psutil.cpu_count(logical=False) or n_logical, n_logical


def _psutil_memory() -> Memory:
    import psutil

    memory = psutil.virtual_memory()
    return Memory(total_bytes=memory.total, available_bytes=memory.available)


def _sysctl(name: str) -> str | None:
    """Ask sysctlbyname(3). What has 4 or 8 bytes is taken for a number: every text asked for here is longer."""
    library = ctypes.CDLL(None)
    size = ctypes.c_size_t(0)
    if library.sysctlbyname(name.encode(), None, ctypes.byref(size), None, 0) != 0:
        return None
    buffer = ctypes.create_string_buffer(size.value)
    if library.sysctlbyname(name.encode(), buffer, ctypes.byref(size), None, 0) != 0:
        return None
    raw = buffer.raw[: size.value]
    is_number = len(raw) in (4, 8)
    return str(int.from_bytes(raw, sys.byteorder)) if is_number else raw.rstrip(b"\x00").decode("utf-8", "replace")


def _registry_cpu_name() -> str:
    if sys.platform != "win32":
        return ""
    import winreg

    key = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as handle:
            return str(winreg.QueryValueEx(handle, "ProcessorNameString")[0])
    except OSError:
        return ""


def _has_processor_feature(number: int) -> bool:
    if sys.platform != "win32":
        return False
    return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(number))
