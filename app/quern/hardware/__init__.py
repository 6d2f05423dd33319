"""What this machine is: its CPU, its memory and its system."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .cpu import Cpu as Cpu
    from .cpu import default_thread_count as default_thread_count
    from .machine import Machine as Machine
    from .machine import detect_cpu as detect_cpu
    from .machine import detect_machine as detect_machine
    from .machine import detect_memory as detect_memory
    from .memory import Memory as Memory

__all__ = [
    "Cpu",
    "Machine",
    "Memory",
    "default_thread_count",
    "detect_cpu",
    "detect_machine",
    "detect_memory",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "Cpu": "cpu",
        "Machine": "machine",
        "Memory": "memory",
        "default_thread_count": "cpu",
        "detect_cpu": "machine",
        "detect_machine": "machine",
        "detect_memory": "machine",
    },
)
