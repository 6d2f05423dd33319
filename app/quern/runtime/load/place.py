"""What a measurement holds for."""

from dataclasses import dataclass
from pathlib import Path

from quern.engine import engine_build
from quern.gguf import content_id

from .trial import device_identity


@dataclass(frozen=True, slots=True)
class Place:
    """One model's content, one build of the engine, one machine."""

    content_id: str
    engine_build: str
    device_identity: str


def place_of(path: Path) -> Place:
    """Return where a load of the model at `path` is measured now; a few milliseconds. Raises gguf's errors."""
    return Place(content_id(path), engine_build(), device_identity())
