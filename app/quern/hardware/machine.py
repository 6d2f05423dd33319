"""This machine, detected."""

from dataclasses import dataclass

from .cpu import Cpu
from .memory import Memory
from .system import System, this_system


@dataclass(frozen=True, slots=True)
class Machine:
    """What was found: one CPU description and memory at the moment of asking."""

    cpu: Cpu
    memory: Memory


def detect_cpu(system: System | None = None) -> Cpu:
    """Describe the CPU of `system` (this one). A few milliseconds; safe in any thread."""
    return (system or this_system()).cpu()


def detect_memory(system: System | None = None) -> Memory:
    """Describe the memory of `system` (this one) as it is now. A few milliseconds; safe in any thread."""
    return (system or this_system()).memory()


def detect_machine(system: System | None = None) -> Machine:
    """Describe `system` (this one)."""
    found = system or this_system()
    return Machine(found.cpu(), found.memory())
