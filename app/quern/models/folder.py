"""Finds the model files in a folder, at any depth."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from quern.gguf import ShardName


def model_files(folder: Path) -> Iterator[Path]:
    """Yield one path a model under `folder`, in order of path: the file, or the first part there is of a split one.

    Folders that cannot be listed are passed over; links to folders are followed, each folder once.
    """
    seen: set[str] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(root)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders.sort()
        gguf_names = sorted(name for name in names if name.lower().endswith(".gguf"))
        yield from (Path(root, name) for name in _first_parts(gguf_names))


def _first_parts(names: Iterable[str]) -> Iterator[str]:
    """Yield the names without later parts of split models; `names` are sorted, so a model's first part comes first."""
    models: set[tuple[str, int]] = set()
    for name in names:
        shard = ShardName.parse(name)
        if shard is None:
            yield name
        elif (shard.prefix, shard.count) not in models:
            models.add((shard.prefix, shard.count))
            yield name
