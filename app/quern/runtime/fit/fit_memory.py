"""Remembers what loads really took, and what was learned from them, in the database."""

import json
import logging
import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

from quern.base import Database, Json, QuernError, Schema
from quern.runtime.load.place import Place

from .measured_load import MeasuredLoad

logger = logging.getLogger(__name__)

MAX_LOADS_PER_MODEL = 12

TABLES = Schema(
    room="fit",
    migrations=(
        """
        CREATE TABLE fit_loads (
            content_id TEXT NOT NULL,
            engine_build TEXT NOT NULL,
            device_identity TEXT NOT NULL,
            settings TEXT NOT NULL,
            loaded_at REAL NOT NULL,
            estimated TEXT NOT NULL,
            measured TEXT NOT NULL,
            resident_bytes INTEGER NOT NULL,
            PRIMARY KEY (content_id, engine_build, device_identity, settings)
        ) STRICT;
        CREATE TABLE fit_lessons (
            topic TEXT NOT NULL,
            engine_build TEXT NOT NULL,
            lesson TEXT NOT NULL,
            learned_at REAL NOT NULL,
            PRIMARY KEY (topic, engine_build)
        ) STRICT;
        """,
    ),
)

Value = TypeVar("Value")


class FitMemory:
    """Owns the fit's tables. Thread-safe. A read-only database recalls only, without one nothing is remembered.

    Rows that cannot be understood are passed over, and a database that cannot be used costs what is known, never an
    error: every answer can be computed anew.
    """

    def __init__(self, database: Database | None) -> None:
        self._database = database

    def loads(self, place: Place) -> tuple[MeasuredLoad, ...]:
        """Return the loads of a model with this engine on this machine, newest first."""
        rows = self._rows(
            "SELECT loaded_at, settings, estimated, measured, resident_bytes FROM fit_loads"
            " WHERE content_id = ? AND engine_build = ? AND device_identity = ? ORDER BY loaded_at DESC",
            (place.content_id, place.engine_build, place.device_identity),
        )
        found = [_understood(lambda row=row: MeasuredLoad.from_columns(*row)) for row in rows]
        return tuple(load for load in found if load is not None)

    def remember_load(self, place: Place, load: MeasuredLoad) -> None:
        """Keep `load` in place of an older one with the same settings; of each model only the newest are kept."""
        loaded_at, settings, estimated, measured, resident_bytes = load.columns()
        self._write(
            (
                "INSERT OR REPLACE INTO fit_loads VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    place.content_id,
                    place.engine_build,
                    place.device_identity,
                    settings,
                    loaded_at,
                    estimated,
                    measured,
                    resident_bytes,
                ),
            ),
            (
                "DELETE FROM fit_loads WHERE content_id = ? AND rowid NOT IN"
                " (SELECT rowid FROM fit_loads WHERE content_id = ? ORDER BY loaded_at DESC LIMIT ?)",
                (place.content_id, place.content_id, MAX_LOADS_PER_MODEL),
            ),
        )

    def lesson(self, topic: str, engine_build: str, read: Callable[[Json], Value]) -> Value | None:
        """Return what was learned of `topic` with this engine, read by `read`; None where nothing (sound) was."""
        rows = self._rows("SELECT lesson FROM fit_lessons WHERE topic = ? AND engine_build = ?", (topic, engine_build))
        return _understood(lambda: read(json.loads(str(rows[0][0])))) if rows else None

    def learn(self, topic: str, engine_build: str, lesson: Json, learned_at: float) -> None:
        """Keep `lesson` in place of an older one; what was learned with other builds is forgotten."""
        self._write(
            ("DELETE FROM fit_lessons WHERE topic = ? AND engine_build <> ?", (topic, engine_build)),
            (
                "INSERT OR REPLACE INTO fit_lessons VALUES (?, ?, ?, ?)",
                (topic, engine_build, json.dumps(lesson), learned_at),
            ),
        )

    def _rows(self, query: str, keys: tuple[str, ...]) -> list[tuple[Any, ...]]:
        if self._database is None:
            return []
        try:
            with self._database.reading() as connection:
                return connection.execute(query, keys).fetchall()
        except (QuernError, sqlite3.Error) as error:
            logger.info("what loads took cannot be read: %s", error)
            return []

    @property
    def can_learn(self) -> bool:
        """Whether what is learned is kept."""
        return self._database is not None and not self._database.is_read_only

    def _write(self, *statements: tuple[str, tuple[object, ...]]) -> None:
        if self._database is None or self._database.is_read_only:
            return
        try:
            with self._database.transaction() as connection:
                for statement, values in statements:
                    connection.execute(statement, values)
        except (QuernError, sqlite3.Error) as error:
            logger.info("what a load took is not remembered: %s", error)


def _understood(read: Callable[[], Value]) -> Value | None:
    """Return what `read` makes of a row; None for another Quern's words, or damaged ones."""
    try:
        return read()
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
