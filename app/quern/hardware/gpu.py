"""A graphics processor as a value."""

from dataclasses import dataclass
from enum import StrEnum


class Vendor(StrEnum):
    """Who made the GPU."""

    NVIDIA = "NVIDIA"
    AMD = "AMD"
    APPLE = "Apple"
    INTEL = "Intel"
    OTHER = "other"


class GpuFault(StrEnum):
    """Why a GPU that is there cannot be used by anybody, or not by this process."""

    NO_DRIVER = "no_driver"
    DRIVER_FAILED = "driver_failed"
    DRIVER_MISMATCH = "driver_mismatch"
    LOST = "lost"
    NO_PERMISSION = "no_permission"
    NOT_PASSED = "not_passed"
    NOT_PARTITIONED = "not_partitioned"


_FAULT_WORDS = {
    GpuFault.NO_DRIVER: "its driver is not installed or not loaded",
    GpuFault.DRIVER_FAILED: "its driver answers with an error",
    GpuFault.DRIVER_MISMATCH: "its driver was updated and the old one still runs",
    GpuFault.LOST: "it has fallen off the bus",
    GpuFault.NO_PERMISSION: "this account may not use it",
    GpuFault.NOT_PASSED: "it is not passed on to this system",
    GpuFault.NOT_PARTITIONED: "it is in MIG mode and has no partition",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU as its vendor's own interface describes it; None for what that does not tell. Memory in bytes, now.

    `target` is what kernels are built for: "8.9" (NVIDIA compute capability), "gfx1100" (AMD), "Apple M3". `platform`
    is the compute platform with its version, as the driver offers it: "CUDA 12.6", "ROCm 6.2", "Metal 3".
    `is_unified` says that it works in the machine's own memory, which must not be counted twice; `working_set` is then
    the most it may use of it. (Of an AMD APU's `total` the part that the firmware set apart for it lies outside.)
    `address` tells equal cards apart ("0000:01:00.0"; the partitions of one card share it). `fault` is why it cannot be
    used.
    """

    vendor: Vendor
    name: str
    total: int | None = None
    free: int | None = None
    driver: str | None = None
    platform: str | None = None
    target: str | None = None
    is_unified: bool = False
    working_set: int | None = None
    address: str | None = None
    fault: GpuFault | None = None

    @property
    def problem(self) -> str | None:
        """Why it cannot be used, as a clause; None where it can."""
        return None if self.fault is None else _FAULT_WORDS[self.fault]

    @property
    def is_modest(self) -> bool:
        """Whether it is a small integrated GPU, which hardly computes faster than the CPU beside it.

        Apple's and NVIDIA's integrated GPUs are large; so are AMD's Strix Halo (gfx1151) and MI300A (gfx942).
        """
        return self.is_unified and self.vendor in (Vendor.AMD, Vendor.INTEL) and self.target not in _LARGE_APUS


_LARGE_APUS = ("gfx1151", "gfx942")
