"""Looks at a model on disk, all its shards: the facts, or the reason why it cannot be used."""

from dataclasses import replace
from pathlib import Path

from quern.gguf.errors import GgufDamaged, NotAModel
from quern.gguf.fact.facts import ModelFacts, facts_of
from quern.gguf.fact.file_kind import FileKind
from quern.gguf.reading.header import Header
from quern.gguf.reading.reader import read_header

from .check import check_complete, check_written
from .shard import ShardName, find_shards
from .source import FileSource
from .split import check_parts


def inspect_file(path: Path) -> ModelFacts:
    """Return the facts of the model at `path`, or of what else it is (`kind`), all its shards proved to be complete.

    Raises FileUnreadable, NotGguf, GgufUnsupported, GgufDamaged (ShardsDisagree is one), GgufTruncated, NotFirstShard
    or ShardMissing. That the architecture is one the engine knows is not checked here.
    """
    paths = find_shards(path)
    headers = [_read_whole(shard) for shard in paths]
    facts = _merge([facts_of(header) for header in headers])
    check_parts(paths, headers)
    if facts.kind is FileKind.MODEL:
        _check_model(path, facts)
    return replace(facts, name=facts.name or _name_of(path))


def inspect_model(path: Path) -> ModelFacts:
    """Return the facts of the model at `path`. Raises like `inspect_file`, and NotAModel for anything else."""
    facts = inspect_file(path)
    if facts.kind is not FileKind.MODEL:
        raise NotAModel(path, facts.kind)
    return facts


def _read_whole(path: Path) -> Header:
    with FileSource(path) as source:
        header = read_header(source)
        check_complete(header, source)
        check_written(header, source)
        source.check_unchanged()
        return header


def _merge(parts: list[ModelFacts]) -> ModelFacts:
    return replace(
        parts[0],
        parameter_count=sum(part.parameter_count for part in parts),
        size_bytes=sum(part.size_bytes for part in parts),
    )


def _check_model(path: Path, facts: ModelFacts) -> None:
    if not facts.architecture:
        raise GgufDamaged(path, "it does not name its architecture")
    if not facts.parameter_count:
        raise GgufDamaged(path, "it holds no weights")


def _name_of(path: Path) -> str:
    shard = ShardName.parse(path.name)
    return path.stem if shard is None else shard.prefix
