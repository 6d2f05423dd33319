"""What a PCI GPU is called: the lists of names that Linux systems carry.

pci.ids: "VVVV  Vendor", then "<tab>DDDD  Chip [Product]" for its devices. amdgpu.ids (libdrm): "DEVICE, REVISION,
Product" in hexadecimal, which tells apart the products of one chip.
"""

from pathlib import Path

from quern.hardware.gpu import Vendor
from quern.hardware.host.linux_file import read_text

from .pci import VENDORS, PciGpu

_PCI_IDS = ("usr/share/misc/pci.ids", "usr/share/hwdata/pci.ids")
_AMDGPU_IDS = "usr/share/libdrm/amdgpu.ids"


def product_name(gpu: PciGpu, root: Path) -> str:
    """Return a name like "AMD Radeon RX 7900 XTX"; with no list at hand "AMD GPU 744c"."""
    name = ""
    if gpu.vendor is Vendor.AMD:
        name = _amdgpu_name(read_text(root / _AMDGPU_IDS), gpu) or read_text(gpu.folder / "product_name")
    if not name:
        name = next(filter(None, (_pci_name(read_text(root / path), gpu) for path in _PCI_IDS)), "")
    vendor = "" if gpu.vendor is Vendor.OTHER else gpu.vendor.value
    if not name:
        return f"{vendor} GPU {gpu.device_id:04x}".strip()
    return name if name.startswith(vendor) else f"{vendor} {name}"


def _amdgpu_name(text: str, gpu: PciGpu) -> str:
    for line in text.splitlines():
        words = [word.strip() for word in line.split(",", 2)]
        if len(words) == 3 and words[0].upper() == f"{gpu.device_id:X}" and words[1].upper() == f"{gpu.revision:X}":
            return words[2]
    return ""


def _pci_name(text: str, gpu: PciGpu) -> str:
    vendor_id = next(number for number, vendor in VENDORS.items() if vendor is gpu.vendor)
    is_here = False
    for line in text.splitlines():
        if not line.startswith(("\t", "#")):
            if is_here:
                return ""
            is_here = line.startswith(f"{vendor_id:04x}  ")
        elif is_here and line.startswith(f"\t{gpu.device_id:04x}  "):
            chip = line.strip().partition("  ")[2]
            product = chip.rpartition("[")[2]
            return product.rstrip("]") if product != chip else chip
    return ""
