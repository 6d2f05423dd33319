"""Linux, read from /proc and /sys."""

import os
import platform
from collections.abc import Callable
from pathlib import Path

from quern.hardware.cpu import Cpu
from quern.hardware.gpu import Gpu
from quern.hardware.memory import Memory
from quern.hardware.place import Place
from quern.hardware.vendor.linux import linux_gpus
from quern.hardware.vendor.nvml import Nvml, load_nvml
from quern.hardware.vendor.pci import pci_gpus

from .cgroup import cgroup_limits
from .feature import known_features
from .gpu_node import gpu_node_memory
from .linux_file import (
    expand_cpu_list,
    fast_cpus,
    first_values,
    kibibyte_values,
    physical_cores,
    read_integer,
    read_text,
)
from .linux_place import linux_place


def may_use(file: Path) -> bool:
    """Whether this account may read and write the device file."""
    return os.access(file, os.R_OK | os.W_OK)


def no_sleep() -> float:
    """A machine that never slept."""
    return 0.0


class LinuxSystem:
    """Reads files below `root`; the rest of what it asks the system is given as functions.

    `n_allowed_cpus` answers how many CPUs the affinity mask leaves, `nvml` brings NVIDIA's interface, `can_use` says
    whether a device file may be opened, `slept_s` how long the machine has slept since it was started.
    """

    def __init__(
        self,
        root: Path,
        n_allowed_cpus: Callable[[], int],
        *,
        nvml: Callable[[], Nvml] = load_nvml,
        can_use: Callable[[Path], bool] = may_use,
        slept_s: Callable[[], float] = no_sleep,
    ) -> None:
        self._root = root
        self._n_allowed_cpus = n_allowed_cpus
        self._nvml = nvml
        self._can_use = can_use
        self._slept_s = slept_s

    def place(self) -> Place:
        """Tell containers and WSL by the marks that they leave."""
        return linux_place(self._root)

    def cpu(self) -> Cpu:
        """Describe the CPU from /proc/cpuinfo, its topology in /sys and the control groups."""
        text = read_text(self._root / "proc/cpuinfo")
        values = first_values(text)
        folder = self._root / "sys/devices/system/cpu"
        cores = physical_cores(folder.glob("cpu[0-9]*"))
        n_logical = sum(line.startswith("processor") for line in text.splitlines()) or os.cpu_count() or 1
        n_physical = len(cores) or n_logical
        hybrid = expand_cpu_list(read_text(self._root / "sys/devices/cpu_core/cpus"))
        fast = hybrid or fast_cpus(folder.glob("cpu[0-9]*"))
        quota = cgroup_limits(self._root).n_cpus
        return Cpu(
            brand=values.get("model name") or read_text(self._root / "proc/device-tree/model") or platform.machine(),
            architecture=platform.machine(),
            n_physical_cores=n_physical,
            n_logical_cores=n_logical,
            n_performance_cores=sum(bool(core & fast) for core in cores) or n_physical,
            n_usable_threads=min(self._n_allowed_cpus(), quota or n_logical),
            features=known_features((values.get("flags") or values.get("Features") or "").split()),
        )

    def memory(self) -> Memory:
        """Describe memory from /proc/meminfo, the control groups and, on Grace, the GPUs' own nodes."""
        values = kibibyte_values(read_text(self._root / "proc/meminfo"))
        of_gpus = gpu_node_memory(self._root)
        total = max(0, values.get("MemTotal", 0) - of_gpus.total_bytes)
        available = max(0, values.get("MemAvailable", values.get("MemFree", 0)) - of_gpus.free_bytes)
        limits = cgroup_limits(self._root)
        limit = total if limits.total_bytes is None else min(total, limits.total_bytes)
        return Memory(
            total_bytes=limit,
            available_bytes=min(available, limits.available_bytes if limits.available_bytes is not None else available),
            own_bytes=kibibyte_values(read_text(self._root / "proc/self/status")).get("RssAnon", 0),
            installed_bytes=total if limit < total else None,
        )

    def gpus(self) -> tuple[Gpu, ...]:
        """Describe the GPUs on the bus and those that only their driver knows."""
        return linux_gpus(self._root, self.place(), self._nvml, self._can_use)

    def stamp(self) -> str:
        """Return what changes with a new start, a sleep, a driver, a card or a device file."""
        root, device = self._root, self._root / "dev"
        nodes = [*device.glob("nvidia*"), *device.glob("dri/*"), *device.glob("kfd"), *device.glob("dxg")]
        return "|".join(
            (
                read_text(root / "proc/sys/kernel/random/boot_id"),
                f"{round(self._slept_s())} {read_integer(root / 'sys/power/suspend_stats/success') or 0}",
                read_text(root / "proc/driver/nvidia/version"),
                read_text(root / "sys/module/amdgpu/srcversion"),
                " ".join(f"{gpu.address}={gpu.driver}" for gpu in pci_gpus(root)),
                " ".join(sorted(node.name for node in nodes)),
            )
        )
