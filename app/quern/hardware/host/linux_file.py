"""The Linux files that describe a CPU and memory, parsed."""

from collections.abc import Iterable
from pathlib import Path


def read_text(path: Path) -> str:
    """Return the file's text, empty where there is none or it may not be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip("\x00\n ")
    except OSError:
        return ""


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder, as far as this account may see."""
    try:
        return path.exists()
    except OSError:
        return False


def entries_of(folder: Path) -> tuple[Path, ...]:
    """Return what lies in `folder`, sorted; nothing where there is none or it may not be read."""
    try:
        return tuple(sorted(folder.iterdir()))
    except OSError:
        return ()


def read_integer(path: Path) -> int | None:
    """Return the one whole number in the file, or None ("max", no file)."""
    text = read_text(path)
    return int(text) if text.lstrip("-").isdecimal() else None


def first_values(text: str) -> dict[str, str]:
    """Return the first value of every `name : value` line (/proc/cpuinfo repeats them per CPU)."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            values.setdefault(name.strip(), value.strip())
    return values


def kibibyte_values(text: str) -> dict[str, int]:
    """Return the `name: 123 kB` lines of /proc/meminfo in bytes."""
    values: dict[str, int] = {}
    for name, value in first_values(text).items():
        number, _, unit = value.partition(" ")
        if number.isdecimal() and unit == "kB":
            values[name] = int(number) * 1024
    return values


def expand_cpu_list(text: str) -> frozenset[int]:
    """Return the CPUs of a list like `0-3,8,10-11` (kernel Documentation/admin-guide/cputopology.rst)."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if first.isdecimal() and (not last or last.isdecimal()):
            numbers.update(range(int(first), int(last or first) + 1))
    return frozenset(numbers)


def physical_cores(cpus: Iterable[Path]) -> frozenset[frozenset[int]]:
    """Return each physical core as the set of its CPUs, from folders like /sys/devices/system/cpu/cpu0."""
    lists = (
        read_text(cpu / "topology" / "core_cpus_list") or read_text(cpu / "topology" / "thread_siblings_list")
        for cpu in cpus
    )
    return frozenset(expand_cpu_list(text) for text in lists if text)


def fast_cpus(cpus: Iterable[Path]) -> frozenset[int]:
    """Return the CPUs of the fast kinds, by the kernel's measure of ARM cores (1024 is the fastest of the machine).

    Where cores of several kinds are fast, such as one prime and three big cores, all of them count: those with more
    than half of the greatest capacity (kernel Documentation/scheduler/sched-capacity.rst). Empty where nothing tells.
    """
    capacities = {int(cpu.name.removeprefix("cpu")): read_integer(cpu / "cpu_capacity") or 0 for cpu in cpus}
    greatest = max(capacities.values(), default=0)
    return frozenset(number for number, capacity in capacities.items() if greatest and capacity * 2 > greatest)
