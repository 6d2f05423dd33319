"""How to install an engine that can use what is there: llama-cpp-python's documented ways, built from source.

llama-cpp-python README, "Installation Configuration" and "Supported Backends".
"""

from dataclasses import dataclass

from quern.hardware.engine_match import CUDA, METAL, MUSA, ROCM, SYCL, VULKAN
from quern.hardware.gpu import Gpu, Vendor
from quern.hardware.place import Place

DISTRIBUTION = "llama-cpp-python"
WHERE = "in the environment that Quern runs in"


@dataclass(frozen=True, slots=True)
class Remedy:
    """A backend by a person's name, the build's option for it, and what building it needs."""

    backend: str
    option: str
    needs: str


_REMEDIES = {
    CUDA: Remedy("CUDA", "-DGGML_CUDA=on", "the CUDA Toolkit{version} and a C++ compiler"),
    ROCM: Remedy("ROCm", "-DGGML_HIP=on", "a C++ compiler (ROCm is there)"),
    METAL: Remedy("Metal", "-DGGML_METAL=on", "Xcode's command line tools"),
    VULKAN: Remedy("Vulkan", "-DGGML_VULKAN=on", "the Vulkan SDK and a C++ compiler"),
    SYCL: Remedy("SYCL", "-DGGML_SYCL=on", "Intel's oneAPI toolkit"),
    MUSA: Remedy("MUSA", "-DGGML_MUSA=on", "the MUSA Toolkit and a C++ compiler"),
}


def remedy_for(gpu: Gpu) -> Remedy:
    """Return the backend to install for `gpu`: its vendor's own where that is simple to build, else Vulkan."""
    platform = gpu.platform or ""
    if gpu.vendor is Vendor.APPLE or "Metal" in platform:
        return _REMEDIES[METAL]
    if gpu.vendor is Vendor.NVIDIA:
        remedy = _REMEDIES[CUDA]
        newest = platform.removeprefix("CUDA ")
        return Remedy(remedy.backend, remedy.option, remedy.needs.format(version=_up_to(newest)))
    return _REMEDIES[ROCM if gpu.vendor is Vendor.AMD and platform.startswith("ROCm") else VULKAN]


def install_command(place: Place, version: str, *options: str) -> str:
    """Return the command that builds the engine anew with CMake `options`, for the shell that `place` has."""
    wanted = DISTRIBUTION if version in ("", "unknown") else f"{DISTRIBUTION}=={version}"
    pip = f"python -m pip install --force-reinstall --no-deps --no-cache-dir --no-binary {DISTRIBUTION} {wanted}"
    if not options:
        return pip
    arguments = " ".join(options)
    return f'$env:CMAKE_ARGS = "{arguments}"; {pip}' if place.system == "Windows" else f'CMAKE_ARGS="{arguments}" {pip}'


def _up_to(version: str) -> str:
    """Return " (12.6 or older 12.x)": a driver runs programs of every toolkit of its own major version and before."""
    major = version.partition(".")[0]
    return f" ({major}.x or older)" if major.isdecimal() else ""
