"""Turns a path into a library entry, reading the file only where nothing is remembered of it."""

from collections.abc import Mapping
from pathlib import Path

from quern.base import QuernError
from quern.gguf import FileKind, FileUnreadable, ModelFacts, NotAModel, find_shards, inspect_file, reason_of

from .entry import ModelEntry, Origin
from .index import Remembered, stamp_of
from .naming import name_of


class Examiner:
    """Owns one look at many files: `known` facts by path, and in `news` those that had to be read from the files."""

    def __init__(self, known: Mapping[Path, Remembered]) -> None:
        self._known = known
        self.news: dict[Path, Remembered] = {}

    def examine(self, path: Path, origin: Origin) -> ModelEntry:
        """Return the entry of the model at `path`; a file that is no good gives an entry with a `problem`.

        A projector, an adapter or the like is such a file (NotAModel says which); it is remembered as a model is.
        """
        try:
            shards = find_shards(path)
            facts = self._facts(path, shards)
            if facts.kind is not FileKind.MODEL:
                raise NotAModel(path, facts.kind)
        except QuernError as problem:
            return ModelEntry(
                name=name_of(path, None),
                path=path,
                shards=(path,),
                size_bytes=_size_bytes(path),
                origin=origin,
                facts=None,
                problem=problem,
            )
        return ModelEntry(
            name=name_of(path, facts), path=path, shards=shards, size_bytes=facts.size_bytes, origin=origin, facts=facts
        )

    def _facts(self, path: Path, shards: tuple[Path, ...]) -> ModelFacts:
        try:
            stamp = stamp_of(shards)
        except (OSError, ValueError) as error:
            raise FileUnreadable(path, reason_of(error)) from error
        known = self._known.get(path)
        if known is not None and known.stamp == stamp:
            return known.facts
        facts = inspect_file(path)
        self.news[path] = Remembered(stamp, facts)
        return facts


def _size_bytes(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except (OSError, ValueError):
        return 0
