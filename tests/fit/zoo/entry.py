"""The zoo: tiny shapes of every architecture, and of what single models do differently."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from zlib import crc32

from .families import EXTRA_LAYERS, FAMILIES, VARIANTS, Part
from .metadata_file import Value, write_metadata_file
from .recipe import Sizes, basic_keys

N_ROLLS = 2
_UNPREFIXED = ("xielu.", "tokenizer.", "general.")


@dataclass(frozen=True, slots=True)
class ZooEntry:
    """One model that has a shape and no weights; `name` is unique."""

    architecture: str
    name: str
    parts: tuple[Part, ...]

    def metadata(self) -> dict[str, Value]:
        """Return its metadata: random, and the same every time."""
        sizes = Sizes.roll(Random(crc32(self.name.encode())))
        keys = basic_keys(sizes)
        for part in self.parts:
            keys |= part(sizes) if callable(part) else part
        return prefixed(self.architecture, keys)

    def write(self, path: Path) -> Path:
        """Write it to `path` as a file of metadata alone; return `path`."""
        return write_metadata_file(path, self.metadata())


def prefixed(architecture: str, keys: dict[str, Value]) -> dict[str, Value]:
    """Return `keys` as llama.cpp looks for them, and what a file without a vocabulary needs."""
    metadata: dict[str, Value] = {
        "general.architecture": architecture,
        "tokenizer.ggml.model": "no_vocab",
        "tokenizer.ggml.token_type_count": 2,
    }
    for key, value in keys.items():
        metadata[key if key.startswith(_UNPREFIXED) else f"{architecture}.{key}"] = value
    return metadata


def _entries() -> Sequence[ZooEntry]:
    rolled = [
        ZooEntry(architecture, f"{architecture}-{roll}", parts)
        for architecture, parts in FAMILIES.items()
        for roll in range(1, N_ROLLS + 1)
    ]
    return [*rolled, *(ZooEntry(architecture, name, parts) for name, (architecture, parts) in VARIANTS.items())]


ZOO: tuple[ZooEntry, ...] = tuple(_entries())
EXTRA_ZOO: tuple[ZooEntry, ...] = tuple(
    ZooEntry(architecture, name, parts) for name, (architecture, parts) in EXTRA_LAYERS.items()
)
