"""GPUs of a Windows machine, from the registry's display class and its tree of PCI devices; NVIDIA's from NVML.

SYSTEM/CurrentControlSet/Control/Class/{4d36e968-...}/NNNN (Windows driver documentation, "Registering Hardware
Information"): `DriverDesc`, `DriverVersion`, `MatchingDeviceId` ("pci/ven_10de&dev_2786"), and
`HardwareInformation.qwMemorySize` in bytes, which drivers store as a number or as eight bytes. Enum/PCI/DEVICE/INSTANCE
names its class key in `Driver` and its place in `LocationInformation` ("...;(bus,device,function)"). Keys of cards that
were taken out stay; Services/SERVICE/Enum lists only the devices that are there now.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quern.hardware.address import pci_address_of
from quern.hardware.gpu import Gpu, GpuFault, Vendor
from quern.hardware.host.registry import Registry, RegistryValue

from .intel import INTEGRATED_ADDRESS
from .nvml import NvidiaAnswer, Nvml, nvidia_gpus

_CONTROL = r"SYSTEM\CurrentControlSet"
_DISPLAY_CLASS = "{4d36e968-e325-11ce-bfc1-08002be10318}"
_VENDORS = {"10de": Vendor.NVIDIA, "1002": Vendor.AMD, "8086": Vendor.INTEL, "qcom": Vendor.OTHER}


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """One entry of the display class that belongs to a device that is there."""

    vendor: Vendor
    name: str
    driver: str
    memory_bytes: int
    address: str | None
    is_bare: bool  # Windows' own basic driver has it


def windows_gpus(registry: Registry, nvml: Callable[[], Nvml]) -> tuple[Gpu, ...]:
    """Return every GPU; `nvml` brings NVIDIA's interface and is called only where its driver has a card."""
    adapters = tuple(_adapters(registry))
    has_nvidia = any(adapter.vendor is Vendor.NVIDIA and not adapter.is_bare for adapter in adapters)
    answer = nvidia_gpus(nvml()) if has_nvidia else NvidiaAnswer()
    gpus = list(answer.gpus)
    for adapter in adapters:
        if adapter.vendor is not Vendor.NVIDIA or adapter.is_bare or answer.fault is not None:
            gpus.append(_described(adapter, answer.fault))
    return tuple(gpus)


def _described(adapter: Adapter, nvidia_fault: GpuFault | None) -> Gpu:
    is_unified = _is_integrated(adapter)
    fault = nvidia_fault if adapter.vendor is Vendor.NVIDIA else None
    return Gpu(
        vendor=adapter.vendor,
        name=adapter.name,
        total=None if is_unified else adapter.memory_bytes or None,
        driver=adapter.driver or None,
        is_unified=is_unified,
        address=adapter.address,
        fault=GpuFault.NO_DRIVER if adapter.is_bare else fault,
    )


def _is_integrated(adapter: Adapter) -> bool:
    """Tell integrated GPUs: Intel's by their place; AMD names cards "Radeon RX ...", the others "... Graphics"."""
    match adapter.vendor:
        case Vendor.INTEL:
            return adapter.address == INTEGRATED_ADDRESS
        case Vendor.AMD:
            return adapter.name.endswith("Graphics")
        case vendor:
            return vendor is Vendor.OTHER


def _adapters(registry: Registry) -> Iterator[Adapter]:
    for instance, values in _instances(registry):
        driver_key = str(values.get("Driver", ""))
        if not driver_key.lower().startswith(_DISPLAY_CLASS):
            continue
        entry = registry.values(rf"{_CONTROL}\Control\Class\{driver_key}")
        found = re.search(r"ven_([0-9a-z]{4})", instance.lower())
        vendor = _VENDORS.get(found[1] if found is not None else "")
        if vendor is not None and _is_present(registry, instance, str(values.get("Service", ""))):
            yield Adapter(
                vendor=vendor,
                name=str(entry.get("DriverDesc", "")) or f"{vendor.value} GPU",
                driver=str(entry.get("DriverVersion", "")),
                memory_bytes=_number(entry.get("HardwareInformation.qwMemorySize", 0)),
                address=_address(str(values.get("LocationInformation", ""))),
                is_bare=str(values.get("Service", "")).lower() == "basicdisplay",
            )


def _instances(registry: Registry) -> Iterator[tuple[str, dict[str, RegistryValue]]]:
    """Yield every device that ever was, as the path below Enum and its values."""
    for bus in ("PCI", "ACPI"):
        for device in registry.keys(rf"{_CONTROL}\Enum\{bus}"):
            if not re.search(r"ven_(10de|1002|8086|qcom)", device.lower()):
                continue
            for instance in registry.keys(rf"{_CONTROL}\Enum\{bus}\{device}"):
                path = rf"{bus}\{device}\{instance}"
                yield path, dict(registry.values(rf"{_CONTROL}\Enum\{path}"))


def _is_present(registry: Registry, instance: str, service: str) -> bool:
    """Whether the device is there now; yes where the service keeps no list."""
    listed = registry.values(rf"{_CONTROL}\Services\{service or '-'}\Enum")
    names = {value.lower() for key, value in listed.items() if key.isdecimal() and isinstance(value, str)}
    return not names or instance.lower() in names


def _number(value: RegistryValue) -> int:
    match value:
        case int():
            return value
        case bytes():
            return int.from_bytes(value, "little")
        case _:
            return 0


def _address(location: str) -> str | None:
    """Return the PCI address of "@pci.sys,#65536;PCI bus %1, device %2, function %3;(1,0,0)"."""
    found = re.search(r"\((\d+),(\d+),(\d+)\)$", location)
    return None if found is None else pci_address_of(0, *(int(number) for number in found.groups()))
