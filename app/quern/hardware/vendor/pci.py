"""GPUs on the PCI bus of a Linux machine, whoever made them and whether a driver has them or not.

/sys/bus/pci/devices/ADDRESS (kernel Documentation/ABI/testing/sysfs-bus-pci): `class`, `vendor`, `device`, `revision`,
the link `driver`, the folder `drm` with `cardN` and `renderDN`, `resource` with a "first last flags" line a BAR.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quern.hardware.gpu import Vendor
from quern.hardware.host.linux_file import entries_of, read_text

VENDORS = {0x10DE: Vendor.NVIDIA, 0x1002: Vendor.AMD, 0x8086: Vendor.INTEL, 0x1ED5: Vendor.OTHER}
# Drivers that a card is given to so that a virtual machine, or nobody, can have it; and one too old to compute.
_OUT_OF_REACH = frozenset({"vfio-pci", "pci-stub", "radeon"})
# Base class 03 is a display controller, 1200 a processing accelerator (AMD Instinct).
_CLASSES = ("0x03", "0x1200")


@dataclass(frozen=True, slots=True, kw_only=True)
class PciGpu:
    """One GPU on the bus; `driver` is the kernel module that has it ("" for none), `render_node` "renderD128"."""

    vendor: Vendor
    address: str
    device_id: int
    revision: int
    driver: str
    render_node: str
    folder: Path


def pci_gpus(root: Path) -> tuple[PciGpu, ...]:
    """Return the GPUs on the bus below `root`, by address."""
    return tuple(_found(root))


def _found(root: Path) -> Iterator[PciGpu]:
    for folder in entries_of(root / "sys/bus/pci/devices"):
        if not read_text(folder / "class").startswith(_CLASSES):
            continue
        vendor = VENDORS.get(_hexadecimal(folder / "vendor"))
        driver = _link_name(folder / "driver")
        if vendor is None or driver in _OUT_OF_REACH:
            continue
        yield PciGpu(
            vendor=vendor,
            address=folder.name,
            device_id=_hexadecimal(folder / "device"),
            revision=_hexadecimal(folder / "revision"),
            driver=driver,
            render_node=next((node.name for node in (folder / "drm").glob("renderD*")), ""),
            folder=folder,
        )


def is_off_the_bus(gpu: PciGpu) -> bool:
    """Whether the card no longer answers: every byte of its configuration space then reads as ones."""
    try:
        with (gpu.folder / "config").open("rb") as file:
            return file.read(4) == b"\xff\xff\xff\xff"
    except OSError:
        return False


def bar_bytes(gpu: PciGpu, index: int) -> int:
    """Return the size of base address register `index`; with resizable BARs the one for memory is as large as it."""
    lines = read_text(gpu.folder / "resource").splitlines()
    words = lines[index].split() if index < len(lines) else []
    try:
        first, last = int(words[0], 16), int(words[1], 16)
    except (IndexError, ValueError):
        return 0
    return last - first + 1 if last > first else 0


def _hexadecimal(file: Path) -> int:
    try:
        return int(read_text(file), 16)
    except ValueError:
        return 0


def _link_name(link: Path) -> str:
    try:
        return link.readlink().name
    except OSError:
        return ""
