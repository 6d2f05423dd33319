"""The operating system that this process runs on, and the calls into it: all platform differences of this room."""

import ctypes
import os
import sys
import time
from pathlib import Path
from typing import Protocol

from .cpu import Cpu
from .gpu import Gpu
from .host.linux import LinuxSystem
from .host.mac import MacSystem
from .host.registry import MachineRegistry
from .host.windows import WindowsCalls, WindowsSystem
from .memory import Memory
from .place import Place
from .vendor.apple import default_metal_device
from .vendor.nvml import load_nvml


class System(Protocol):
    """An operating system that can describe its machine. The calls take a few milliseconds and never raise OSError;
    asking for GPUs takes as long as their drivers do, up to a second where they wake a card.
    """

    def place(self) -> Place:
        """Describe where this process runs."""
        ...

    def cpu(self) -> Cpu:
        """Describe the CPU."""
        ...

    def memory(self) -> Memory:
        """Describe the memory as it is now."""
        ...

    def gpus(self) -> tuple[Gpu, ...]:
        """Describe the GPUs and their memory as it is now."""
        ...

    def stamp(self) -> str:
        """Return a text that changes when what was found before may no longer hold."""
        ...


def this_system() -> System:
    """Return the system that this process runs on; an unknown one is read like Linux, with what it has."""
    match sys.platform:
        case "darwin":
            return MacSystem(_sysctl, _psutil_memory, default_metal_device, _mac_slept_s)
        case "win32":
            calls = WindowsCalls(
                has_feature=_has_processor_feature,
                core_buffer=_windows_core_buffer,
                n_cpus=_n_cpus,
                memory=_psutil_memory,
                slept_s=_windows_slept_s,
            )
            return WindowsSystem(MachineRegistry(), calls, load_nvml)
        case _:
            return LinuxSystem(Path("/"), _n_allowed_cpus, slept_s=_linux_slept_s)


def _n_allowed_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _n_cpus()


def _n_cpus() -> int:
    return os.cpu_count() or 1


def _psutil_memory() -> Memory:
    import psutil

    memory = psutil.virtual_memory()
    own = psutil.Process().memory_info()
    # Windows' private bytes; elsewhere what is resident stands in for it.
    own_bytes = int(getattr(own, "private", own.rss))
    return Memory(total_bytes=memory.total, available_bytes=memory.available, own_bytes=own_bytes)


def _linux_slept_s() -> float:
    """Return how much longer the clock that runs on in sleep has run (clock_gettime(2))."""
    if sys.platform != "linux":
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


def _mac_slept_s() -> float:
    """Return how much longer the clock that runs on in sleep has run (clock_gettime(3))."""
    if sys.platform != "darwin":
        return 0.0
    return time.clock_gettime(time.CLOCK_MONOTONIC_RAW) - time.clock_gettime(time.CLOCK_UPTIME_RAW)


def _windows_slept_s() -> float:
    """Return how much longer the clock that runs on in sleep has run (QueryInterruptTime, in 100 ns)."""
    if sys.platform != "win32":
        return 0.0
    whole, awake = ctypes.c_ulonglong(), ctypes.c_ulonglong()
    ctypes.windll.kernelbase.QueryInterruptTime(ctypes.byref(whole))
    ctypes.windll.kernel32.QueryUnbiasedInterruptTime(ctypes.byref(awake))
    return (whole.value - awake.value) / 10_000_000


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


def _has_processor_feature(number: int) -> bool:
    if sys.platform != "win32":
        return False
    return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(number))


def _windows_core_buffer() -> bytes:
    """Return what GetLogicalProcessorInformationEx says of the cores, empty where it refuses."""
    if sys.platform != "win32":
        return b""
    size = ctypes.c_ulong(0)
    ask = ctypes.windll.kernel32.GetLogicalProcessorInformationEx
    ask(0, None, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    return buffer.raw[: size.value] if ask(0, buffer, ctypes.byref(size)) else b""
