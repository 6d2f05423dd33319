"""The GPU of a Mac: what Metal says of it, and where Metal is not asked what its kernel settings say."""

import ctypes
import ctypes.util
from collections.abc import Callable
from dataclasses import dataclass

from quern.hardware.gpu import Gpu, Vendor

# MTLGPUFamily (MTLDevice.h): the newest that the device supports names its Metal.
_FAMILIES = ((5002, "Metal 4"), (5001, "Metal 3"))
MIB = 1 << 20
GIB = 1 << 30
# Where nothing was set, macOS lets the GPU have two thirds of up to 32 GiB and three quarters of more: what Metal
# reports on such machines (llama.cpp's log, ggml_metal_device_init: recommendedMaxWorkingSetSize).
_SMALL_MEMORY_BYTES = 32 * GIB


@dataclass(frozen=True, slots=True, kw_only=True)
class MetalDevice:
    """What Metal says of its default device (Metal, MTLDevice); sizes in bytes."""

    name: str
    working_set: int
    has_unified_memory: bool
    platform: str


def apple_gpus(metal: MetalDevice | None, sysctl: Callable[[str], str | None], available_bytes: int) -> tuple[Gpu, ...]:
    """Return the Mac's GPU; where Metal is silent, Apple silicon's is described by its settings, an Intel Mac's not."""
    total = _integer(sysctl("hw.memsize"))
    if metal is None and sysctl("hw.optional.arm64") != "1":
        return ()
    name = metal.name if metal is not None else sysctl("machdep.cpu.brand_string") or "Apple GPU"
    is_unified = metal is None or metal.has_unified_memory
    working_set = metal.working_set if metal is not None and metal.working_set else working_set_of(total, sysctl)
    gpu = Gpu(
        vendor=Vendor.APPLE if name.startswith("Apple") else _vendor(name),
        name=name,
        total=total if is_unified else working_set,
        free=min(working_set, available_bytes) if is_unified else None,
        platform="Metal" if metal is None else metal.platform,
        target=name if name.startswith("Apple") else None,
        is_unified=is_unified,
        working_set=working_set if is_unified else None,
    )
    return (gpu,)


def working_set_of(total: int, sysctl: Callable[[str], str | None]) -> int:
    """Return how many of `total` bytes the GPU may use: `iogpu.wired_limit_mb` where it is set, else macOS's share."""
    limit_mib = _integer(sysctl("iogpu.wired_limit_mb"))
    if limit_mib:
        return min(total, limit_mib * MIB)
    return total * 2 // 3 if total <= _SMALL_MEMORY_BYTES else total * 3 // 4


def _vendor(name: str) -> Vendor:
    return next((vendor for vendor in (Vendor.AMD, Vendor.INTEL, Vendor.NVIDIA) if vendor in name), Vendor.OTHER)


def _integer(text: str | None) -> int:
    return int(text) if text is not None and text.isdecimal() else 0


def default_metal_device() -> MetalDevice | None:
    """Ask Metal through the Objective-C runtime; None where there is no Metal. macOS only."""
    path = ctypes.util.find_library("Metal")
    runtime = ctypes.util.find_library("objc")
    if path is None or runtime is None:
        return None
    # Without CoreGraphics in the process there is no default device on a Mac with several.
    ctypes.CDLL(ctypes.util.find_library("CoreGraphics"))
    create = ctypes.CDLL(path).MTLCreateSystemDefaultDevice
    create.restype = ctypes.c_void_p
    device = create()
    return None if device is None else _asked(ctypes.CDLL(runtime), device)


def _asked(objc: ctypes.CDLL, device: int) -> MetalDevice:
    """Ask a device by message; objc_msgSend is declared anew for each kind of answer, as its C prototype wants."""
    objc.sel_registerName.restype = ctypes.c_void_p
    objc.sel_registerName.argtypes = [ctypes.c_char_p]

    def send(result: type, receiver: int, selector: bytes, *arguments: int) -> object:
        prototype = ctypes.CFUNCTYPE(result, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_long] * len(arguments))
        return prototype(("objc_msgSend", objc))(receiver, objc.sel_registerName(selector), *arguments)

    name = send(ctypes.c_void_p, device, b"name")
    text = send(ctypes.c_char_p, name, b"UTF8String") if isinstance(name, int) else b""
    size = send(ctypes.c_uint64, device, b"recommendedMaxWorkingSetSize")
    families = (label for family, label in _FAMILIES if send(ctypes.c_bool, device, b"supportsFamily:", family))
    return MetalDevice(
        name=text.decode("utf-8", "replace") if isinstance(text, bytes) else "",
        working_set=size if isinstance(size, int) else 0,
        has_unified_memory=bool(send(ctypes.c_bool, device, b"hasUnifiedMemory")),
        platform=next(families, "Metal"),
    )
