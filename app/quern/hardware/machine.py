"""This machine, detected."""

from dataclasses import dataclass
from pathlib import Path

from .cpu import Cpu
from .disk import Disk, disk_of
from .gpu import Gpu
from .memory import Memory
from .place import Place
from .system import System, this_system


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What was found, at the moment of asking.

    Memory of `gpus` that are unified is part of `memory`: it must not be counted twice. `disk` is the one that the
    folder asked about lies on, None where none was asked about or it does not answer.
    """

    cpu: Cpu
    memory: Memory
    gpus: tuple[Gpu, ...] = ()
    place: Place = Place()  # noqa: RUF009  # frozen
    disk: Disk | None = None


def detect_cpu(system: System | None = None) -> Cpu:
    """Describe the CPU of `system` (this one). A few milliseconds; safe in any thread."""
    return (system or this_system()).cpu()


def detect_memory(system: System | None = None) -> Memory:
    """Describe the memory of `system` (this one) as it is now. A few milliseconds; safe in any thread."""
    return (system or this_system()).memory()


def detect_gpus(system: System | None = None) -> tuple[Gpu, ...]:
    """Describe the GPUs of `system` (this one), their memory as it is now. Up to a second; not the window's thread."""
    return (system or this_system()).gpus()


def detect_machine(system: System | None = None, *, folder: Path | None = None) -> Machine:
    """Describe `system` (this one), and the disk that `folder` lies on. Up to a second; not the window's thread."""
    found = system or this_system()
    return Machine(
        cpu=found.cpu(),
        memory=found.memory(),
        gpus=found.gpus(),
        place=found.place(),
        disk=None if folder is None else disk_of(folder),
    )
