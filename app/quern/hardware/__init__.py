"""What this machine is: its CPU, memory and GPUs, what the engine sees of them, and where the two differ."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .change import machine_stamp as machine_stamp
    from .cpu import Cpu as Cpu
    from .cpu import default_thread_count as default_thread_count
    from .disk import Disk as Disk
    from .disk import disk_of as disk_of
    from .engine_device import DeviceKind as DeviceKind
    from .engine_device import EngineDevice as EngineDevice
    from .engine_device import EngineInfo as EngineInfo
    from .engine_match import device_of as device_of
    from .engine_probe import ask_engine as ask_engine
    from .engine_probe import forget_engine as forget_engine
    from .gap.comparison import gaps_of as gaps_of
    from .gap.comparison import gpu_fallback as gpu_fallback
    from .gap.gap import Gap as Gap
    from .gap.gap import GapCause as GapCause
    from .gap.gap import GapWeight as GapWeight
    from .gpu import Gpu as Gpu
    from .gpu import GpuFault as GpuFault
    from .gpu import Vendor as Vendor
    from .machine import Machine as Machine
    from .machine import detect_cpu as detect_cpu
    from .machine import detect_gpus as detect_gpus
    from .machine import detect_machine as detect_machine
    from .machine import detect_memory as detect_memory
    from .memory import Memory as Memory
    from .place import Place as Place
    from .system_info import backend_facts as backend_facts
    from .system_info import feature_name as feature_name
    from .system_info import unused_features as unused_features
    from .system_info import used_features as used_features

__all__ = [
    "Cpu",
    "DeviceKind",
    "Disk",
    "EngineDevice",
    "EngineInfo",
    "Gap",
    "GapCause",
    "GapWeight",
    "Gpu",
    "GpuFault",
    "Machine",
    "Memory",
    "Place",
    "Vendor",
    "ask_engine",
    "backend_facts",
    "default_thread_count",
    "detect_cpu",
    "detect_gpus",
    "detect_machine",
    "detect_memory",
    "device_of",
    "disk_of",
    "feature_name",
    "forget_engine",
    "gaps_of",
    "gpu_fallback",
    "machine_stamp",
    "unused_features",
    "used_features",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "Cpu": "cpu",
        "DeviceKind": "engine_device",
        "Disk": "disk",
        "EngineDevice": "engine_device",
        "EngineInfo": "engine_device",
        "Gap": "gap.gap",
        "GapCause": "gap.gap",
        "GapWeight": "gap.gap",
        "Gpu": "gpu",
        "GpuFault": "gpu",
        "Machine": "machine",
        "Memory": "memory",
        "Place": "place",
        "Vendor": "gpu",
        "ask_engine": "engine_probe",
        "backend_facts": "system_info",
        "default_thread_count": "cpu",
        "detect_cpu": "machine",
        "detect_gpus": "machine",
        "detect_machine": "machine",
        "detect_memory": "machine",
        "device_of": "engine_match",
        "disk_of": "disk",
        "feature_name": "system_info",
        "forget_engine": "engine_probe",
        "gaps_of": "gap.comparison",
        "gpu_fallback": "gap.comparison",
        "machine_stamp": "change",
        "unused_features": "system_info",
        "used_features": "system_info",
    },
)
