"""Says what the installed engine is and which devices it sees; enumerating them can end a process, so not the window's.

`llama_print_system_info` and the registry answer from what is loaded; a backend's start-up asks the driver.
"""

import os

from quern.base import Json
from quern.engine.build import engine_build, engine_version

# Whoever sets one of these hides devices from the engine: CUDA, HIP, Vulkan and SYCL in this order.
HIDING_VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "GGML_VK_VISIBLE_DEVICES",
    "GGML_DISABLE_VULKAN",
    "ONEAPI_DEVICE_SELECTOR",
)


def answer(_question: Json) -> Json:
    """Answer anything with what `quern.hardware.EngineInfo` holds, field by field. Raises LibraryMissing."""
    # Imported here, so that a library that does not load is an answer and not the end of the worker.
    from quern.llama import Backend, capture_log, cuda_runtime_version

    with capture_log() as log:
        backend = Backend.start()
        devices = backend.devices()
    return {
        "version": engine_version(),
        "build": engine_build(),
        "system_info": backend.system_info.strip(" |"),
        "backends": list(backend.backends()),
        "devices": [
            {
                "name": device.name,
                "description": device.description,
                "kind": device.kind.name.lower(),
                "backend": device.backend,
                "free": device.free_bytes,
                "total": device.total_bytes,
                "address": device.address,
            }
            for device in devices
        ],
        "complaint": log.reason,
        "cuda_runtime": cuda_runtime_version(),
        "hidden_by": [f"{name}={os.environ[name]}" for name in HIDING_VARIABLES if name in os.environ],
    }
