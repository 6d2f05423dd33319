"""What can go wrong with the database, named once; SQLite's own errors are mapped here and nowhere else."""

import errno
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .errors import QuernError


@dataclass(eq=False)
class DatabaseBusy(QuernError):
    """Another program kept the database locked for longer than the wait."""

    path: Path

    sentence = 'Another program is using Quern\'s data ("{path}").'
    advice = "Close it, then try again; what you wrote is still here."


@dataclass(eq=False)
class DiskFull(QuernError):
    """The disk has no room for what was to be saved."""

    path: Path

    sentence = 'The disk that holds "{path}" is full, so nothing more can be saved.'
    advice = "Free some space, then try again; what was saved before is safe."


@dataclass(eq=False)
class DatabaseDamaged(QuernError):
    """The file is not a database, or is a broken one."""

    path: Path
    reason: str

    sentence = 'Quern\'s data file "{path}" is damaged ({reason}).'
    advice = "Start Quern again: it keeps the damaged file under a new name and restores the newest backup."


@dataclass(eq=False)
class DatabaseReadOnly(QuernError):
    """The database cannot be written: opened read-only, or the system forbids it."""

    path: Path

    sentence = 'Quern\'s data file "{path}" cannot be written.'
    advice = "Make the file and its folder writable, or close the Quern that uses them, then try again."


@dataclass(eq=False)
class DatabaseUnreadable(QuernError):
    """The system does not let Quern open, read or write the file."""

    path: Path
    reason: str

    sentence = 'Quern\'s data file "{path}" cannot be read or written ({reason}).'
    advice = "Check the disk and the file's permissions, then try again."


@dataclass(eq=False)
class DatabaseMissing(QuernError):
    """There is no database yet, and this process may not make one."""

    path: Path

    sentence = 'There is no Quern data at "{path}" yet.'
    advice = "Start Quern once, then try again."


@dataclass(eq=False)
class DatabaseNewer(QuernError):
    """A newer Quern has written the database."""

    path: Path
    room: str

    sentence = 'The data in "{path}" was written by a newer Quern than this one.'
    advice = "Install the newer Quern again, or point QUERN_HOME at another folder."


@dataclass(eq=False)
class DatabaseOlder(QuernError):
    """An older Quern's database, which this process may only read and so cannot bring up to date."""

    path: Path
    room: str

    sentence = 'The data in "{path}" was written by an older Quern, which is still open.'
    advice = "Close it, then try again."


@contextmanager
def mapped_database_errors(path: Path) -> Generator[None, None, None]:
    """Turn SQLite's errors about `path` into named ones; mistakes in our own SQL pass through."""
    try:
        yield
    except sqlite3.Error as error:
        cause = as_database_error(error, path)
        if cause is None:
            raise
        raise cause from error


@contextmanager
def mapped_file_errors(path: Path) -> Generator[None, None, None]:
    """Turn the system's errors about the file `path` into DiskFull or DatabaseUnreadable."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(path) from error
        raise DatabaseUnreadable(path, error.strerror or str(error)) from error


def as_database_error(error: sqlite3.Error, path: Path) -> QuernError | None:
    """Return the cause that SQLite's result code stands for, or None for a mistake in our own SQL.

    Codes: https://www.sqlite.org/rescode.html
    """
    code = getattr(error, "sqlite_errorcode", None)
    if not isinstance(code, int):
        return None
    match code & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return DatabaseBusy(path)
        case sqlite3.SQLITE_FULL:
            return DiskFull(path)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return DatabaseDamaged(path, str(error))
        case sqlite3.SQLITE_READONLY:
            return DatabaseReadOnly(path)
        case sqlite3.SQLITE_IOERR if code in _IO_ERRORS_OF_A_FULL_DISK:
            return DiskFull(path)
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return DatabaseUnreadable(path, str(error))
        case _:
            return None


# Growing the shared-memory index fails with an I/O error, not with SQLITE_FULL (os_unix.c: unixShmMap).
_IO_ERRORS_OF_A_FULL_DISK = frozenset({sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP})
