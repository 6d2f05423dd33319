"""Looks at a model on disk, all its shards: the facts, or the reason why it cannot be used."""

from dataclasses import dataclass, replace
from pathlib import Path

from .check import check_complete, check_written
from .errors import GgufDamaged, NotAModel
from .facts import ModelFacts, facts_of
from .file_kind import FileKind
from .header import Header
from .reader import read_header
from .shard import ShardName, find_shards
from .source import FileSource


def inspect_model(path: Path) -> ModelFacts:
    """Return the facts of the model at `path`, having read the header of every shard and proved it complete.

    Raises FileUnreadable, NotGguf, GgufUnsupported, GgufDamaged, GgufTruncated, NotAModel, NotFirstShard or
    ShardMissing. That the architecture is one the engine knows is not checked here.
    """
    first, *others = (_read_whole(shard) for shard in find_shards(path))
    facts = _merge(facts_of(first), [facts_of(other) for other in others])
    if facts.kind is not FileKind.MODEL:
        raise NotAModel(path, facts.kind)
    _check_split(path, first, 1 + len(others))
    if not facts.architecture:
        raise GgufDamaged(path, "it does not name its architecture")
    if not facts.parameter_count:
        raise GgufDamaged(path, "it holds no weights")
    return replace(facts, name=facts.name or _name_of(path))


def _read_whole(path: Path) -> Header:
    with FileSource(path) as source:
        header = read_header(source)
        check_complete(header, source)
        check_written(header, source)
        source.check_unchanged()
        return header


@dataclass(frozen=True, slots=True)
class _Split:
    """Which part of how many a header says its file is; a file of its own is part 1 of 1."""

    number: int
    count: int


def _merge(first: ModelFacts, others: list[ModelFacts]) -> ModelFacts:
    return replace(
        first,
        parameter_count=first.parameter_count + sum(other.parameter_count for other in others),
        size_bytes=first.size_bytes + sum(other.size_bytes for other in others),
    )


def _check_split(path: Path, first: Header, n_files: int) -> None:
    """The header of a shard knows its place too: a shard under another name is found out here."""
    split = _Split((first.integer("split.no") or 0) + 1, max(1, first.integer("split.count") or 1))
    if split.number != 1 or split.count != n_files:
        raise GgufDamaged(path, f"it says that it is part {split.number} of {split.count}, which its name denies")


def _name_of(path: Path) -> str:
    shard = ShardName.parse(path.name)
    return path.stem if shard is None else shard.prefix
