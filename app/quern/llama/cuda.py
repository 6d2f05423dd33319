"""Which CUDA runtime the loaded engine brought along."""

import ctypes
from collections.abc import Iterable


def cuda_runtime_version() -> str | None:
    """Return the version of the CUDA runtime in this process ("12.4"), None where there is none or it is built in."""
    import psutil

    return runtime_version_among(mapping.path for mapping in psutil.Process().memory_maps())


def runtime_version_among(paths: Iterable[str]) -> str | None:
    """Do the work of `cuda_runtime_version` over the paths of all loaded files (libcudart.so.12, cudart64_12.dll)."""
    path = next((path for path in paths if "cudart" in path.replace("\\", "/").rpartition("/")[2]), None)
    if path is None:
        return None
    version = ctypes.c_int()
    # It answers with a constant (CUDA Runtime API, version management): no driver is touched.
    if ctypes.CDLL(path).cudaRuntimeGetVersion(ctypes.byref(version)) != 0:
        return None
    return f"{version.value // 1000}.{version.value % 1000 // 10}"
