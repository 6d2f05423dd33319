"""Models split into several files: their names, and finding all of them."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from quern.gguf.errors import NotFirstShard, ShardMissing

_PATTERN = re.compile(r"(?P<prefix>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ShardName:
    """The name of part `number` (from 1) of `count`: `PREFIX-00001-of-00003.gguf` (llama.cpp, llama_split_path)."""

    prefix: str
    number: int
    count: int

    @classmethod
    def parse(cls, name: str) -> Self | None:
        """Return the parts of a shard's file name, or None for any other name."""
        match = _PATTERN.fullmatch(name)
        if match is None:
            return None
        shard = cls(match["prefix"], int(match["number"]), int(match["count"]))
        return shard if 1 <= shard.number <= shard.count else None

    @property
    def siblings(self) -> tuple[str, ...]:
        """File names of all parts, in order, this one included."""
        return tuple(f"{self.prefix}-{number:05d}-of-{self.count:05d}.gguf" for number in range(1, self.count + 1))


def find_shards(path: Path) -> tuple[Path, ...]:
    """Return every file of the model at `path`, in order: just `path` for a model in one file.

    Raises NotFirstShard when `path` is a later part, ShardMissing when a part is not beside it.
    """
    shard = ShardName.parse(path.name)
    if shard is None:
        return (path,)
    first, *others = (path.with_name(name) for name in shard.siblings)
    if shard.number != 1 and first.is_file():
        raise NotFirstShard(path, first.name)
    expected = others if shard.number == 1 else [first, *others]
    missing = tuple(sibling.name for sibling in expected if not sibling.is_file())
    if missing:
        raise ShardMissing(path, missing)
    return (first, *others)
