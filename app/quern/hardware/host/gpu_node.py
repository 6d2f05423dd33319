"""GPU memory that Linux counts as the machine's: on Grace every GPU's memory is a NUMA node without CPUs.

NVIDIA Grace Hopper tuning guide, "NUMA nodes"; node files: kernel Documentation/ABI/stable/sysfs-devices-node.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from .linux_file import is_there, read_text

_LINE = re.compile(r"Node \d+ (MemTotal|MemFree):\s+(\d+) kB")


@dataclass(frozen=True, slots=True)
class NodeMemory:
    """The memory of all such nodes together, in bytes."""

    total_bytes: int = 0
    free_bytes: int = 0


def gpu_node_memory(root: Path) -> NodeMemory:
    """Return the memory that GPUs brought; nothing on machines whose CPUs are not tied to an NVIDIA GPU that way.

    Only ARM servers are: elsewhere a node without CPUs is an extension of the machine's memory (CXL).
    """
    nodes = root / "sys/devices/system/node"
    cpu_0 = root / "sys/devices/system/cpu/cpu0/regs/identification/midr_el1"
    if not is_there(root / "proc/driver/nvidia/version") or not is_there(cpu_0):
        return NodeMemory()
    total = free = 0
    for node in nodes.glob("node[0-9]*"):
        if not read_text(node / "cpulist"):
            sizes = {name: int(number) * 1024 for name, number in _LINE.findall(read_text(node / "meminfo"))}
            total, free = total + sizes.get("MemTotal", 0), free + sizes.get("MemFree", 0)
    return NodeMemory(total, free)
