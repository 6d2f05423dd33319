"""The one SQLite database: one connection, short transactions, errors with names."""

import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock

from .backup import back_up, copy_database, find_damage
from .database_error import (
    DatabaseDamaged,
    DatabaseMissing,
    DatabaseReadOnly,
    mapped_database_errors,
    mapped_file_errors,
)
from .migration import Schema, applied_versions, migrate, pending_migrations, require_current

BUSY_TIMEOUT_S = 5.0


class Database:
    """Owns the connection to the database. Thread-safe: threads take turns, one transaction or reading at a time.

    SQLite before 3.51.3 can lose a WAL reset when a file is written through several connections, so there is one.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, *, is_read_only: bool) -> None:
        self.path = path
        self.is_read_only = is_read_only
        self._connection = connection
        self._turn = RLock()
        self._copying = Lock()

    @classmethod
    def open(cls, path: Path, schemas: Sequence[Schema], backups: Path) -> "Database":
        """Open or make the database at `path`, check its pages, and bring its tables up to date after a backup.

        Raises DatabaseDamaged, DatabaseNewer, DatabaseBusy, DatabaseReadOnly, DatabaseUnreadable or DiskFull.
        """
        with mapped_database_errors(path), mapped_file_errors(path):
            _make_private(path)
            connection = _connect(str(path))
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("PRAGMA foreign_keys = ON")
                if (damage := find_damage(connection)) is not None:
                    raise DatabaseDamaged(path, damage)
                _bring_up_to_date(connection, schemas, path, backups)
            except BaseException:
                connection.close()
                raise
        return cls(path, connection, is_read_only=False)

    @classmethod
    def open_read_only(cls, path: Path, schemas: Sequence[Schema]) -> "Database":
        """Open the database of a folder that another process owns.

        Raises DatabaseMissing, DatabaseOlder, DatabaseNewer, DatabaseDamaged, DatabaseBusy or DatabaseUnreadable.
        """
        if not path.exists():
            raise DatabaseMissing(path)
        with mapped_database_errors(path):
            connection = _connect(f"{path.absolute().as_uri()}?mode=ro")
            try:
                require_current(connection, schemas, path)
            except BaseException:
                connection.close()
                raise
        return cls(path, connection, is_read_only=True)

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection, None, None]:
        """Write: everything done inside is committed together at the end, or undone when anything raises.

        Safe to call from any thread; does not nest. Raises DatabaseReadOnly, DatabaseBusy, DiskFull,
        DatabaseDamaged or DatabaseUnreadable; after each of them nothing has changed and the database is usable.
        """
        if self.is_read_only:
            raise DatabaseReadOnly(self.path)
        with self._turn, mapped_database_errors(self.path):
            assert not self._connection.in_transaction, "transactions do not nest"
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection, None, None]:
        """Read: no other thread writes meanwhile. Raises like `transaction`; may be used inside one."""
        with self._turn, mapped_database_errors(self.path):
            yield self._connection

    def backup_to(self, path: Path) -> None:
        """Copy everything committed to the new file `path`, while other threads go on reading and writing.

        Raises DiskFull, DatabaseDamaged or DatabaseUnreadable; then there is no file at `path`.
        """
        with self._copying, mapped_database_errors(path), mapped_file_errors(path):
            copy_database(self._connection, path)

    def back_up(self, folder: Path) -> Path:
        """Add a copy to the backups in `folder`, drop the oldest, and return the new file. Raises like `backup_to`."""
        with self._copying, mapped_database_errors(folder), mapped_file_errors(folder):
            return back_up(self._connection, folder)

    def close(self) -> None:
        """Close the connection, once a running backup has ended; the write-ahead log goes into the file."""
        with self._copying, self._turn:
            self._connection.close()


def _connect(target: str) -> sqlite3.Connection:
    return sqlite3.connect(
        target, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, uri=target.startswith("file:")
    )


def _make_private(path: Path) -> None:
    """Make the file, or take it from others' eyes; SQLite gives the files beside it the same permissions."""
    if path.is_dir():
        raise DatabaseDamaged(path, "a folder is in its place")
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)


def _bring_up_to_date(connection: sqlite3.Connection, schemas: Sequence[Schema], path: Path, backups: Path) -> None:
    pending = pending_migrations(connection, schemas, path)
    if not pending:
        return
    if applied_versions(connection):
        back_up(connection, backups)
    migrate(connection, pending)
