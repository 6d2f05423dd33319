"""AMD GPUs under Linux, from amdgpu's files and the compute driver's topology.

/sys/bus/pci/devices/ADDRESS: `mem_info_vram_total`, `mem_info_vram_used`, `mem_info_gtt_total`, `mem_info_gtt_used`
(kernel Documentation/gpu/amdgpu). /sys/class/kfd/kfd/topology/nodes/N/properties: "name value" lines, of which
`gfx_target_version` is 10000 * major + 100 * minor + stepping and `location_id` bus << 8 | device << 3 | function
(drivers/gpu/drm/amd/amdkfd/kfd_topology.c).
"""

from dataclasses import dataclass
from pathlib import Path

from quern.hardware.address import pci_address_of
from quern.hardware.gpu import Gpu, Vendor
from quern.hardware.host.linux_file import read_integer, read_text

from .pci import PciGpu
from .product import product_name

# Chips that share the machine's memory; the topology of newer kernels no longer tells (llvm.org, AMDGPU processors:
# those marked APU).
_APU_TARGETS = frozenset(
    {"gfx801", "gfx902", "gfx909", "gfx90c", "gfx1013", "gfx1033", "gfx1035", "gfx1036", "gfx1103"}
    | {"gfx1150", "gfx1151", "gfx1152", "gfx1153"}
)
# Without the topology: no card with memory of its own that still computes has less.
_SMALLEST_CARD_BYTES = 2 << 30


@dataclass(frozen=True, slots=True)
class KfdNode:
    """What the compute driver says of one GPU."""

    target: str
    has_cpu_cores: bool


def amd_gpu(gpu: PciGpu, root: Path) -> Gpu:
    """Describe a GPU that amdgpu drives."""
    node = kfd_nodes(root).get(gpu.address)
    vram = _memory(gpu, "vram")
    is_apu = vram[0] < _SMALLEST_CARD_BYTES if node is None else node.has_cpu_cores or node.target in _APU_TARGETS
    # An APU takes what does not fit its reserved part from the machine's memory, up to the GTT's size.
    shared = _memory(gpu, "gtt") if is_apu else (0, 0)
    total, used = vram[0] + shared[0], vram[1] + shared[1]
    return Gpu(
        vendor=Vendor.AMD,
        name=product_name(gpu, root),
        total=total or None,
        free=max(0, total - used) if total else None,
        driver=_driver(root),
        platform=rocm_platform(root),
        target=None if node is None else node.target,
        is_unified=is_apu,
        working_set=total if is_apu else None,
        address=gpu.address,
    )


def kfd_nodes(root: Path) -> dict[str, KfdNode]:
    """Return the compute driver's GPUs by PCI address; CPUs are nodes too, without a target."""
    nodes: dict[str, KfdNode] = {}
    for file in (root / "sys/class/kfd/kfd/topology/nodes").glob("*/properties"):
        words = (line.split() for line in read_text(file).splitlines())
        values = {pair[0]: int(pair[1]) for pair in words if len(pair) == 2 and pair[1].isdecimal()}
        version, location = values.get("gfx_target_version", 0), values.get("location_id", 0)
        if version:
            address = pci_address_of(values.get("domain", 0), location >> 8 & 0xFF, location >> 3 & 0x1F, location & 7)
            nodes[address] = KfdNode(gfx_target(version), values.get("cpu_cores_count", 0) > 0)
    return nodes


def gfx_target(version: int) -> str:
    """Return the target's name: 110000 -> "gfx1100", 90010 -> "gfx90a"."""
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


def rocm_platform(root: Path) -> str | None:
    """Return "ROCm 6.2.0" where ROCm is installed (/opt/rocm/.info/version holds "6.2.0-66")."""
    version = read_text(root / "opt/rocm/.info/version").partition("-")[0]
    return f"ROCm {version}" if version else None


def _driver(root: Path) -> str | None:
    """Return the version of AMD's own driver package, else the kernel's, which brings the driver."""
    version = read_text(root / "sys/module/amdgpu/version")
    kernel = read_text(root / "proc/sys/kernel/osrelease")
    return f"amdgpu {version}" if version else f"amdgpu of Linux {kernel}" if kernel else None


def _memory(gpu: PciGpu, kind: str) -> tuple[int, int]:
    """Return (total, used) bytes of "vram" or "gtt"."""
    total = read_integer(gpu.folder / f"mem_info_{kind}_total") or 0
    return total, read_integer(gpu.folder / f"mem_info_{kind}_used") or 0
