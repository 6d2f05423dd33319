"""Says what the installed engine is and which devices it sees, for `quern doctor`."""

from quern.base import Json
from quern.engine.build import engine_build, engine_version
from quern.llama import Backend


def answer(_question: Json) -> Json:
    """Answer anything with `{"version", "build", "system_info", "devices": [{"name", "description", "kind", ...}]}`.

    `system_info` is llama.cpp's line of CPU features and backends. Raises LibraryMissing.
    """
    backend = Backend.start()
    return {
        "version": engine_version(),
        "build": engine_build(),
        "system_info": backend.system_info.strip(" |"),
        "devices": [
            {
                "name": device.name,
                "description": device.description,
                "kind": device.kind.name.lower(),
                "free_bytes": device.free_bytes,
                "total_bytes": device.total_bytes,
            }
            for device in backend.devices()
        ],
    }
