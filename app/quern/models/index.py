"""What the library remembers between runs: added files, and the facts of files that have not changed since."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from logging import getLogger
from pathlib import Path

from quern.base import Database, QuernError
from quern.gguf import FileStamp, ModelFacts

from .facts_json import facts_from_json, facts_to_json

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Remembered:
    """The facts of one model or companion, and a stamp of its files; they hold as long as the stamp does."""

    stamp: str
    facts: ModelFacts


def stamp_of(paths: Iterable[Path]) -> str:
    """Return a text that changes when any of the files does. Raises OSError."""
    stamps = (FileStamp.of(path.stat()) for path in paths)
    return ";".join(f"{stamp.inode}:{stamp.size_bytes}:{stamp.modified_ns}" for stamp in stamps)


class Index:
    """Owns the library's tables. Without a database it remembers added files until the program ends, and no facts."""

    def __init__(self, database: Database | None) -> None:
        self._database = database
        self._added: dict[Path, None] = {}

    def added(self) -> tuple[Path, ...]:
        """Return the added files, by path."""
        if self._database is None:
            return tuple(self._added)
        with self._database.reading() as connection:
            rows = connection.execute("SELECT path FROM added_models ORDER BY path").fetchall()
        return tuple(Path(os.fsdecode(path)) for (path,) in rows)

    def add(self, path: Path) -> None:
        """Remember `path`; nothing happens when it is known. Raises the database's errors."""
        if self._database is None:
            self._added[path] = None
            return
        with self._database.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO added_models (path) VALUES (?)", (os.fsencode(path),))

    def forget(self, path: Path) -> None:
        """Forget `path` and its facts; nothing happens when it is unknown. Raises the database's errors."""
        if self._database is None:
            self._added.pop(path, None)
            return
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM added_models WHERE path = ?", (os.fsencode(path),))
            connection.execute("DELETE FROM model_facts WHERE path = ?", (os.fsencode(path),))

    def facts(self) -> dict[Path, Remembered]:
        """Return all remembered facts that this version of Quern understands."""
        if self._database is None:
            return {}
        with self._database.reading() as connection:
            rows = connection.execute("SELECT path, stamp, facts FROM model_facts").fetchall()
        parsed = ((Path(os.fsdecode(path)), stamp, facts_from_json(text)) for path, stamp, text in rows)
        return {path: Remembered(stamp, facts) for path, stamp, facts in parsed if facts is not None}

    def remember(self, news: Mapping[Path, Remembered]) -> None:
        """Keep facts for the next scan, as far as that is possible: it only saves time."""
        if self._database is None or self._database.is_read_only or not news:
            return
        rows = [(os.fsencode(path), new.stamp, facts_to_json(new.facts)) for path, new in news.items()]
        try:
            with self._database.transaction() as connection:
                connection.executemany("INSERT OR REPLACE INTO model_facts (path, stamp, facts) VALUES (?, ?, ?)", rows)
        except QuernError as error:
            _log.info("model facts were not kept: %s", error.what)
