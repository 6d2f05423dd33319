"""Brings each room's tables up to date, one numbered step after another, all or nothing."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .database_error import DatabaseNewer, DatabaseOlder

_VERSIONS_TABLE = "CREATE TABLE IF NOT EXISTS schema_versions (room TEXT PRIMARY KEY, version INTEGER NOT NULL)"


@dataclass(frozen=True, slots=True)
class Schema:
    """A room's tables: `migrations[n]` is the SQL script that leads from version n to n + 1. Only ever appended to."""

    room: str
    migrations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Migration:
    """One step that a database still lacks."""

    room: str
    version: int
    script: str


def applied_versions(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the version of each room's tables; empty for a new database."""
    table = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_versions'").fetchone()
    return dict(connection.execute("SELECT room, version FROM schema_versions")) if table else {}


def pending_migrations(connection: sqlite3.Connection, schemas: Sequence[Schema], path: Path) -> tuple[Migration, ...]:
    """Return the steps that are missing, in order. Raises DatabaseNewer; `path` is for its wording."""
    applied = applied_versions(connection)
    pending: list[Migration] = []
    for schema in schemas:
        version = applied.get(schema.room, 0)
        if version > len(schema.migrations):
            raise DatabaseNewer(path, schema.room)
        steps = enumerate(schema.migrations[version:], start=version + 1)
        pending.extend(Migration(schema.room, number, script) for number, script in steps)
    return tuple(pending)


def require_current(connection: sqlite3.Connection, schemas: Sequence[Schema], path: Path) -> None:
    """Raise DatabaseOlder or DatabaseNewer unless every room's tables are at the version that this Quern writes."""
    for migration in pending_migrations(connection, schemas, path):
        raise DatabaseOlder(path, migration.room)


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    """Apply `migrations` in one transaction; on any error nothing has changed.

    Foreign keys are off meanwhile, as rebuilding a table needs (https://www.sqlite.org/lang_altertable.html, section
    7), and are checked before the commit.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(_VERSIONS_TABLE)
        for migration in migrations:
            for statement in _statements(migration.script):
                connection.execute(statement)
            row = (migration.room, migration.version)
            connection.execute("INSERT OR REPLACE INTO schema_versions (room, version) VALUES (?, ?)", row)
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        if orphans:
            raise sqlite3.IntegrityError(f"migration leaves rows without their parent: {orphans[:5]}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute("PRAGMA foreign_keys = ON")


def _statements(script: str) -> Iterator[str]:
    """Yield the script's statements one by one; a semicolon inside a trigger or a string ends none."""
    statement = ""
    for part in script.split(";"):
        statement += part
        if sqlite3.complete_statement(statement + ";"):
            yield statement
            statement = ""
        else:
            statement += ";"
    rest = statement.removesuffix(";")
    if rest.strip():
        yield rest
