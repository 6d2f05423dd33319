"""Copies of the database that survive it: whole files, written aside and renamed, the newest few kept."""

import os
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path

KEPT_BACKUPS = 5
_PAGES_PER_STEP = 256
_RETRY_S = 0.01
# quern-0042-20261201-130501.db: the number orders them, whatever the clock did; the time is for people.
_NAME = re.compile(r"quern-(\d{4,})-\d{8}-\d{6}\.db")


def list_backups(folder: Path) -> list[Path]:
    """Return the backups in `folder`, newest first; none where the folder is missing."""
    if not folder.is_dir():
        return []
    numbered = [(int(match[1]), path) for path in folder.iterdir() if (match := _NAME.fullmatch(path.name))]
    return [path for _, path in sorted(numbered, reverse=True)]


def back_up(connection: sqlite3.Connection, folder: Path) -> Path:
    """Copy the database into `folder`, drop all but the newest few copies, and return the new one."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    earlier = list_backups(folder)
    number = 1 + (_number(earlier[0]) if earlier else 0)
    target = folder / f"quern-{number:04}-{time.strftime('%Y%m%d-%H%M%S')}.db"
    copy_database(connection, target)
    for old in list_backups(folder)[KEPT_BACKUPS:]:
        old.unlink()
    return target


def copy_database(connection: sqlite3.Connection, target: Path) -> None:
    """Copy everything committed to the new file `target`, readable by this person only; other threads may write.

    The copy appears complete or not at all. Raises sqlite3.Error and OSError.
    """
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(sqlite3.connect(part, isolation_level=None)) as copy:
            connection.backup(copy, pages=_PAGES_PER_STEP, sleep=_RETRY_S)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file that needs no other beside it
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def is_intact(path: Path) -> bool:
    """Whether `path` is a database that SQLite finds nothing wrong with. Changes nothing."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return find_damage(connection) is None
    except sqlite3.Error:
        return False


def find_damage(connection: sqlite3.Connection) -> str | None:
    """Return the first thing wrong with the database's pages, or None. Reads the whole file."""
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return None if verdict == "ok" else str(verdict)


def _number(path: Path) -> int:
    match = _NAME.fullmatch(path.name)
    return int(match[1]) if match else 0
