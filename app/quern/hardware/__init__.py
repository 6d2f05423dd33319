"""What this machine is: its CPU, its memory and its system."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .cpu import Cpu as Cpu
    from .cpu import default_thread_count as default_thread_count
    from .engine_device import DeviceKind as DeviceKind
    from .engine_device import EngineDevice as EngineDevice
    from .engine_device import EngineInfo as EngineInfo
    from .gpu import Gpu as Gpu
    from .gpu import Vendor as Vendor
    from .machine import Machine as Machine
    from .machine import detect_cpu as detect_cpu
    from .machine import detect_machine as detect_machine
    from .machine import detect_memory as detect_memory
    from .memory import Memory as Memory

__all__ = [
    "Cpu",
    "DeviceKind",
    "EngineDevice",
    "EngineInfo",
    "Gpu",
    "Machine",
    "Memory",
    "Vendor",
    "default_thread_count",
    "detect_cpu",
    "detect_machine",
    "detect_memory",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "Cpu": "cpu",
        "DeviceKind": "engine_device",
        "EngineDevice": "engine_device",
        "EngineInfo": "engine_device",
        "Gpu": "gpu",
        "Vendor": "gpu",
        "Machine": "machine",
        "Memory": "memory",
        "default_thread_count": "cpu",
        "detect_cpu": "machine",
        "detect_machine": "machine",
        "detect_memory": "machine",
    },
)
