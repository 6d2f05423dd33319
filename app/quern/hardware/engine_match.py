"""Which of the engine's devices is which GPU, and which backends could drive one."""

from .engine_device import EngineDevice, EngineInfo
from .gpu import Gpu, Vendor

CUDA, ROCM, METAL, VULKAN, SYCL, MUSA = "CUDA", "ROCm", "MTL", "Vulkan", "SYCL", "MUSA"

# The registry's names of backends that can drive a vendor's GPUs, its own first.
_BACKENDS: dict[Vendor, tuple[str, ...]] = {
    Vendor.NVIDIA: (CUDA, VULKAN),
    Vendor.AMD: (ROCM, VULKAN),
    Vendor.APPLE: (METAL, VULKAN),
    Vendor.INTEL: (SYCL, VULKAN),
    Vendor.OTHER: (MUSA, VULKAN),
}
# How a device of a shared backend says whose it is; RADV is Mesa's Vulkan driver for AMD.
_SIGNS: dict[Vendor, tuple[str, ...]] = {
    Vendor.NVIDIA: ("nvidia", "geforce", "quadro", "tesla"),
    Vendor.AMD: ("amd", "radeon", "radv"),
    Vendor.APPLE: ("apple",),
    Vendor.INTEL: ("intel",),
    Vendor.OTHER: (),
}


def backends_for(gpu: Gpu, engine: EngineInfo) -> tuple[str, ...]:
    """Return the build's backends that can drive `gpu`, the vendor's own first; a Mac's Metal drives any GPU of it."""
    wanted = _BACKENDS[gpu.vendor] if gpu.platform is None or "Metal" not in gpu.platform else (METAL, VULKAN)
    return tuple(backend for backend in wanted if backend in engine.backends)


def device_of(gpu: Gpu, engine: EngineInfo) -> EngineDevice | None:
    """Return the engine's device that is `gpu`: by address, else by its own backend's or its description's word.

    None where the engine does not see it.
    """
    same = (device for device in engine.gpu_devices if device.address is not None and device.address == gpu.address)
    found = next(same, None)
    if found is not None:
        return found
    return next((device for device in engine.gpu_devices if _may_be(device, gpu, engine)), None)


def _may_be(device: EngineDevice, gpu: Gpu, engine: EngineInfo) -> bool:
    if device.address is not None and gpu.address is not None:
        return False
    backends = backends_for(gpu, engine)
    if device.backend not in backends:
        return False
    description = device.description.lower()
    return device.backend != VULKAN or any(sign in description for sign in _SIGNS[gpu.vendor])
