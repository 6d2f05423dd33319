"""What to do about a GPU that nobody, or not this process, can use."""

from dataclasses import replace

from quern.hardware.gpu import Gpu, GpuFault, Vendor
from quern.hardware.place import Place

from .gap import Gap, GapCause, GapWeight

_KERNEL_MODULES = {Vendor.AMD: "amdgpu", Vendor.INTEL: "i915"}
# How containers are given a vendor's GPUs (NVIDIA Container Toolkit and ROCm documentation).
_CONTAINER_OPTIONS = {
    ("docker", Vendor.NVIDIA): "docker run --gpus all",
    ("podman", Vendor.NVIDIA): "podman run --device nvidia.com/gpu=all",
    ("docker", Vendor.AMD): "docker run --device /dev/kfd --device /dev/dri --group-add video",
    ("podman", Vendor.AMD): "podman run --device /dev/kfd --device /dev/dri --group-add keep-groups",
    ("docker", Vendor.INTEL): "docker run --device /dev/dri",
    ("podman", Vendor.INTEL): "podman run --device /dev/dri",
}


def fault_gap(label: str, gpu: Gpu, fault: GpuFault, place: Place) -> Gap:
    """Return the gap that `fault` opens; `label` names the GPU, or several of the same kind."""
    gap = _gap(label, gpu, fault, place)
    return replace(gap, weight=GapWeight.NOTE) if gpu.is_modest else gap


def _gap(label: str, gpu: Gpu, fault: GpuFault, place: Place) -> Gap:
    driver = f" {gpu.driver}" if gpu.driver else ""
    match fault:
        case GpuFault.NO_DRIVER:
            return _driver_gap(label, gpu, place)
        case GpuFault.NOT_PASSED:
            return _passing_gap(label, gpu, place)
        case GpuFault.DRIVER_FAILED:
            return Gap(
                cause=GapCause.DRIVER_FAILED,
                sentence=f"{label} found, but the driver{driver} answers with an error.",
                advice="Restart the computer; if that does not help, install the driver anew.",
            )
        case GpuFault.DRIVER_MISMATCH:
            return Gap(
                cause=GapCause.DRIVER_MISMATCH,
                sentence=f"{label} found, but the driver was updated while the old one{driver} still runs.",
                advice="Restart the computer, so that the new driver is loaded.",
            )
        case GpuFault.LOST:
            return Gap(
                cause=GapCause.GPU_LOST,
                sentence=f"{label} has fallen off the bus and no longer answers.",
                advice="Shut the computer down and switch it on again; if it happens again, check the card's power "
                "supply, seat and temperature.",
                command="sudo dmesg | grep -iE 'xid|fallen off|amdgpu'" if place.system == "Linux" else None,
            )
        case GpuFault.NO_PERMISSION:
            return Gap(
                cause=GapCause.NO_PERMISSION,
                sentence=f"{label} found, but this account may not use it.",
                advice="Add the account to the groups that may, then log out and in again.",
                command="sudo usermod -aG render,video $USER",
            )
        case GpuFault.NOT_PARTITIONED:
            return Gap(
                cause=GapCause.NOT_PARTITIONED,
                sentence=f"{label} is in MIG mode and has no partition that could be used.",
                advice="Create partitions with nvidia-smi, or switch the mode off.",
                command="sudo nvidia-smi -mig 0",
            )


def _driver_gap(label: str, gpu: Gpu, place: Place) -> Gap:
    module = _KERNEL_MODULES.get(gpu.vendor) if place.system == "Linux" else None
    if module is not None:
        advice = "The kernel brings the driver: load it, or start a newer kernel."
    elif place.system == "Linux":
        advice = "Install the driver that your distribution offers for it, then restart the computer."
    else:
        advice = f"Install the newest driver from {gpu.vendor.value}, then restart the computer."
    return Gap(
        cause=GapCause.DRIVER_MISSING,
        sentence=f"{label} found, but the driver is not installed or not loaded.",
        advice=advice,
        command=None if module is None else f"sudo modprobe {module}",
    )


def _passing_gap(label: str, gpu: Gpu, place: Place) -> Gap:
    if place.is_wsl:
        return Gap(
            cause=GapCause.NOT_PASSED,
            sentence=f"Windows has {label}, but this WSL does not reach it.",
            advice="Update WSL in Windows, and see that it is version 2.",
            command="wsl --update",
        )
    command = _CONTAINER_OPTIONS.get((place.container or "", gpu.vendor))
    return Gap(
        cause=GapCause.NOT_PASSED,
        sentence=f"The machine has {label}, but it is not passed on to this container.",
        advice="Start the container with it." if command else "Ask for it where the container is declared.",
        command=command,
    )
