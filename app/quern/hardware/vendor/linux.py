"""All GPUs of a Linux machine: the bus says what is there, the vendors' interfaces describe it."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from quern.hardware.gpu import Gpu, GpuFault, Vendor
from quern.hardware.host.linux_file import is_there, read_text
from quern.hardware.place import Place

from .amd import amd_gpu
from .intel import intel_gpu
from .nvml import NvidiaAnswer, Nvml, nvidia_gpus
from .pci import PciGpu, is_off_the_bus, pci_gpus
from .product import product_name

_DRIVERS = {
    Vendor.NVIDIA: frozenset({"nvidia"}),
    Vendor.AMD: frozenset({"amdgpu"}),
    Vendor.INTEL: frozenset({"i915", "xe"}),
    Vendor.OTHER: frozenset({"mtgpu"}),
}
_NVIDIA_VERSION = "proc/driver/nvidia/version"
_WSL_NVML = "usr/lib/wsl/lib/libnvidia-ml.so.1"
_NVIDIA_SIGNS = (_NVIDIA_VERSION, "dev/nvidiactl", _WSL_NVML)


def linux_gpus(root: Path, place: Place, nvml: Callable[[], Nvml], can_use: Callable[[Path], bool]) -> tuple[Gpu, ...]:
    """Return every GPU below `root`, in the bus's order, those without an address last.

    `nvml` brings NVIDIA's interface and is called only where there is a sign of its driver; `can_use` says whether
    this account may open a device file.
    """
    on_bus = pci_gpus(root)
    answer = nvidia_gpus(nvml()) if any(is_there(root / sign) for sign in _NVIDIA_SIGNS) else NvidiaAnswer()
    known = _by_address(answer.gpus)
    gpus: list[Gpu] = []
    for gpu in on_bus:
        if gpu.vendor is Vendor.NVIDIA:
            gpus += known.pop(gpu.address, ()) or [_unanswered(gpu, root, place, answer)]
        else:
            gpus.append(_described(gpu, root, place, can_use))
    lost = any(gpu.fault is GpuFault.LOST for gpu in gpus)
    # A card that NVML has lost has no address there; the bus has named it already.
    gpus += [gpu for unseen in known.values() for gpu in unseen if not (lost and gpu.fault is GpuFault.LOST)]
    return tuple(gpus) or _nameless(root, place, answer)


def _by_address(gpus: tuple[Gpu, ...]) -> dict[str | None, list[Gpu]]:
    """Return the GPUs by address; the partitions of one card share it."""
    known: dict[str | None, list[Gpu]] = {}
    for gpu in gpus:
        known.setdefault(gpu.address, []).append(gpu)
    return known


def _unanswered(gpu: PciGpu, root: Path, place: Place, answer: NvidiaAnswer) -> Gpu:
    """Describe an NVIDIA card that is on the bus and that NVML does not know."""
    name = product_name(gpu, root)
    if is_off_the_bus(gpu) or (answer.fault is None and any(known.fault is GpuFault.LOST for known in answer.gpus)):
        fault = GpuFault.LOST
    elif gpu.driver not in _DRIVERS[Vendor.NVIDIA]:
        fault = GpuFault.NO_DRIVER
    elif answer.fault in (None, GpuFault.NO_DRIVER):
        # The kernel's driver has it, and its library is not here or does not show it.
        fault = GpuFault.NOT_PASSED if place.container else answer.fault or GpuFault.DRIVER_FAILED
    else:
        fault = answer.fault
    return Gpu(vendor=gpu.vendor, name=name, driver=_nvidia_driver(root), address=gpu.address, fault=fault)


def _nvidia_driver(root: Path) -> str | None:
    """Return the loaded driver's version ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  560.35.03  Fri Aug ...")."""
    found = re.search(r"\s(\d{3,}(?:\.\d+)+)\s", read_text(root / _NVIDIA_VERSION))
    return None if found is None else found[1]


def _described(gpu: PciGpu, root: Path, place: Place, can_use: Callable[[Path], bool]) -> Gpu:
    if gpu.driver not in _DRIVERS[gpu.vendor]:
        fault = GpuFault.LOST if is_off_the_bus(gpu) else GpuFault.NO_DRIVER
        return Gpu(vendor=gpu.vendor, name=product_name(gpu, root), address=gpu.address, fault=fault)
    match gpu.vendor:
        case Vendor.AMD:
            described = amd_gpu(gpu, root)
        case Vendor.INTEL:
            described = intel_gpu(gpu, root)
        case _:
            described = Gpu(vendor=gpu.vendor, name=product_name(gpu, root), address=gpu.address)
    return replace(described, fault=_access_fault(gpu, root, place, can_use))


def _access_fault(gpu: PciGpu, root: Path, place: Place, can_use: Callable[[Path], bool]) -> GpuFault | None:
    """Return what keeps this process from the device files that ROCm (both) and Vulkan (the render node) open."""
    if is_off_the_bus(gpu):
        return GpuFault.LOST
    render = root / "dev/dri" / (gpu.render_node or "renderD128")
    compute = root / "dev/kfd"
    if not is_there(render):
        return GpuFault.NOT_PASSED if place.container else GpuFault.NO_DRIVER
    needs_compute = gpu.vendor is Vendor.AMD and is_there(compute)
    return None if can_use(render) and (not needs_compute or can_use(compute)) else GpuFault.NO_PERMISSION


def _nameless(root: Path, place: Place, answer: NvidiaAnswer) -> tuple[Gpu, ...]:
    """Return the NVIDIA GPU of which only the driver shows: its device is not passed on to this WSL or container."""
    is_kept_by_windows = place.is_wsl and is_there(root / _WSL_NVML) and not is_there(root / "dev/dxg")
    fault = GpuFault.NOT_PASSED if is_kept_by_windows else answer.fault
    if fault is GpuFault.NO_DRIVER and place.container:
        fault = GpuFault.NOT_PASSED
    return () if fault is None else (Gpu(vendor=Vendor.NVIDIA, name="NVIDIA GPU", fault=fault),)
