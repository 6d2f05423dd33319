"""What each operating system says of this process: all platform differences of this room."""

import mmap
from pathlib import Path

STATM = Path("/proc/self/statm")


def resident_bytes(statm: Path = STATM) -> int:
    """Return how much of the machine's memory this process holds now, mapped files included.

    Linux tells in /proc/self/statm (proc(5): the second number, in pages), without the 40 ms that psutil takes to be
    imported; elsewhere psutil is asked.
    """
    try:
        return int(statm.read_text().split()[1]) * mmap.PAGESIZE
    except (OSError, ValueError, IndexError):
        from psutil import Process

        return int(Process().memory_info().rss)
