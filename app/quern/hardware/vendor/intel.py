"""Intel GPUs under Linux, driven by i915 or xe.

xe has the size of a card's memory in `tileN/physical_vram_size_bytes`; i915 does not tell it, but with resizable BARs
BAR 2 spans it all. The integrated GPU always sits at bus 0, device 2, function 0.
"""

from pathlib import Path

from quern.hardware.gpu import Gpu, Vendor
from quern.hardware.host.linux_file import read_integer, read_text

from .pci import PciGpu, bar_bytes
from .product import product_name

INTEGRATED_ADDRESS = "0000:00:02.0"
_MEMORY_BAR = 2
_WHOLE_MEMORY_BYTES = 2 << 30  # without resizable BARs the BAR is 256 MiB


def intel_gpu(gpu: PciGpu, root: Path) -> Gpu:
    """Describe a GPU that i915 or xe drives. What is free of a card's memory only the engine can tell."""
    is_integrated = gpu.address == INTEGRATED_ADDRESS
    kernel = read_text(root / "proc/sys/kernel/osrelease")
    return Gpu(
        vendor=Vendor.INTEL,
        name=product_name(gpu, root),
        total=None if is_integrated else _card_bytes(gpu),
        driver=f"{gpu.driver} of Linux {kernel}" if kernel else gpu.driver,
        is_unified=is_integrated,
        address=gpu.address,
    )


def _card_bytes(gpu: PciGpu) -> int | None:
    tiles = [read_integer(file) or 0 for file in gpu.folder.glob("tile*/physical_vram_size_bytes")]
    bar = bar_bytes(gpu, _MEMORY_BAR)
    return sum(tiles) or (bar if bar >= _WHOLE_MEMORY_BYTES else None)
