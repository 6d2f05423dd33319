"""The library: every model on this machine that Quern knows of, and finding one by name or path."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from quern.base import Database, Home
from quern.gguf import inspect_model

from .entry import ModelEntry, Origin
from .errors import ModelNotFound
from .examination import Examiner
from .folder import model_files
from .index import Index
from .lookup import find_by_name, looks_like_path
from .naming import TakenNames
from .starter import starter_path


class Library:
    """Owns the list of models: the starter model, the files in Quern's own folder, and files that a person added.

    Safe to use from any thread. With a read-only database nothing is kept; without one, added files are known until
    the program ends.
    """

    def __init__(self, home: Home, database: Database | None) -> None:
        self._home = home
        self._index = Index(database)

    def scan(self) -> tuple[ModelEntry, ...]:
        """Return all models: the starter, then the own folder and the added files, each in order of path.

        A file that is no good is an entry with a `problem`. Files that have not changed since the last scan are not
        opened again. Raises only the database's errors.
        """
        examiner = Examiner(self._index.facts())
        entries: list[ModelEntry] = []
        names = TakenNames()
        seen: set[str] = set()
        for path, origin in self._candidates():
            real = os.path.realpath(path)
            if real in seen:
                continue
            seen.add(real)
            entry = examiner.examine(path, origin)
            entries.append(replace(entry, name=names.claim(entry.name, path)))
        self._index.remember(examiner.news)
        return tuple(entries)

    def find(self, text: str) -> ModelEntry:
        """Return the model that a person means by `text`.

        That is an exact name, a name in other case, the path of any .gguf file (in the library or not), or the
        beginning of one model's name. The entry may have a `problem` (see ModelEntry.require_facts).

        Raises ModelNotFound or ModelAmbiguous; the gguf errors for a path outside the library; the database's errors.
        """
        entries = self.scan()
        try:
            return find_by_name(entries, text)
        except ModelNotFound:
            if not looks_like_path(text):
                raise
        return self._find_by_path(entries, _absolute(text))

    def add(self, path: Path) -> ModelEntry:
        """Put the model at `path` into the library; the file stays where it is. Known models are returned as they are.

        Raises the gguf errors for a file that is no good, and then remembers nothing; the database's errors.
        """
        path = _absolute(path)
        inspect_model(path)
        self._index.add(path)
        return self._find_by_path(self.scan(), path)

    def remove(self, entry: ModelEntry) -> None:
        """Take an added model out of the library again; its file stays. Other models are left as they are."""
        if entry.origin is Origin.ADDED:
            self._index.forget(entry.path)

    def _candidates(self) -> Iterator[tuple[Path, Origin]]:
        starter = starter_path()
        if starter is not None:
            yield starter, Origin.STARTER
        for path in model_files(self._home.models):
            yield path, Origin.OWN_FOLDER
        for path in self._index.added():
            yield path, Origin.ADDED

    def _find_by_path(self, entries: tuple[ModelEntry, ...], path: Path) -> ModelEntry:
        real = os.path.realpath(path)
        for entry in entries:
            if os.path.realpath(entry.path) == real:
                return entry
        entry = Examiner(self._index.facts()).examine(path, Origin.OPENED)
        entry.require_facts()
        return entry


def _absolute(path: str | Path) -> Path:
    """Return `path` from the root, with ~ resolved; links stay as they are."""
    return Path(os.path.abspath(os.path.expanduser(path)))  # noqa: PTH100, PTH111  # pathlib follows links, or raises
