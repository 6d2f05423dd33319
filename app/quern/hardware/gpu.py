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


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU as its vendor's own interface describes it; None for what that does not tell. Memory in bytes, now.

    `target` is what kernels are built for: "8.9" (NVIDIA compute capability), "gfx1100" (AMD), "Apple M3". `platform`
    is the compute platform with its version, as the driver offers it: "CUDA 12.6", "ROCm 6.2", "Metal 3".
    `is_unified` says that it works in the machine's own memory; `working_set` is then the most it may use of it.
    `address` tells equal cards apart ("0000:01:00.0"). `problem` is a clause that says why it cannot be used.
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
    problem: str | None = None
