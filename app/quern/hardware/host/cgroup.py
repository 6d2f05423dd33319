"""What a Linux container or service leaves to this process: memory and CPU time limits of its control groups.

Both hierarchies are read: version 2 (memory.max, cpu.max) and version 1 (memory.limit_in_bytes, cpu.cfs_quota_us). A
limit of any parent group holds too, so every level up to the root counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from .linux_file import read_integer, read_text


@dataclass(frozen=True, slots=True)
class CgroupLimits:
    """The tightest limits; None where there is none. `available_bytes` is what is left below the memory limit."""

    total_bytes: int | None
    available_bytes: int | None
    n_cpus: int | None


def cgroup_limits(root: Path) -> CgroupLimits:
    """Read the limits of this process below `root` (the file system's root, or a test's copy of it)."""
    totals: list[int] = []
    available: list[int] = []
    cpus: list[int] = []
    for group in _groups(root):
        memory = _memory(group)
        if memory is not None:
            totals.append(memory[0])
            available.append(max(0, memory[0] - memory[1]))
        quota = _cpu_quota(group)
        if quota is not None:
            cpus.append(quota)
    return CgroupLimits(min(totals, default=None), min(available, default=None), min(cpus, default=None))


def _groups(root: Path) -> Iterator[Path]:
    """Yield the folders of this process's groups in every hierarchy, each with all its parents."""
    mount = root / "sys" / "fs" / "cgroup"
    for line in read_text(root / "proc" / "self" / "cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        hierarchies = (
            {mount} if not controllers else {mount / controllers, *(mount / c for c in controllers.split(","))}
        )
        for hierarchy in hierarchies:
            group = hierarchy / path.lstrip("/")
            yield from (folder for folder in (group, *group.parents) if folder.is_relative_to(hierarchy))


def _memory(group: Path) -> tuple[int, int] | None:
    """Return (limit, used) in bytes, file pages that can be dropped at once not counted as used."""
    for limit_file, used_file, droppable in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        limit = read_integer(group / limit_file)
        if limit is not None and limit >= 0:
            used = read_integer(group / used_file) or 0
            return limit, max(0, used - _statistic(group, droppable))
    return None


def _statistic(group: Path, name: str) -> int:
    for line in read_text(group / "memory.stat").splitlines():
        key, _, value = line.partition(" ")
        if key == name and value.isdecimal():
            return int(value)
    return 0


def _cpu_quota(group: Path) -> int | None:
    """Return the CPU time limit as whole CPUs, rounded up."""
    quota_text, _, period_text = read_text(group / "cpu.max").partition(" ")
    quota = int(quota_text) if quota_text.isdecimal() else read_integer(group / "cpu.cfs_quota_us")
    period = int(period_text) if period_text.isdecimal() else read_integer(group / "cpu.cfs_period_us")
    if quota is None or period is None or quota <= 0 or period <= 0:
        return None
    return ceil(quota / period)
