"""Opens the database whatever state its file is in: a damaged one is kept aside, the newest intact backup restored."""

import logging
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from .backup import is_intact, list_backups
from .database import Database
from .database_error import DatabaseDamaged, DatabaseUnreadable, DiskFull, mapped_file_errors
from .migration import Schema

BACKUP_INTERVAL_S = 24 * 3600.0
_BESIDE = ("-wal", "-shm")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was done about a damaged database.

    `kept_as` is where the damaged file lies now; `restored_from` the backup in use since, None for a fresh start.
    """

    kept_as: Path
    restored_from: Path | None


@dataclass(frozen=True, slots=True)
class Opened:
    """An open database, and what had to be recovered first, if anything."""

    database: Database
    recovery: Recovery | None


def open_or_recover(path: Path, schemas: Sequence[Schema], backups: Path) -> Opened:
    """Open or make the database at `path`; nothing damaged is deleted, nothing intact is replaced.

    An empty file counts as new, unless backups or a write-ahead log tell that it once was not.
    Raises like `Database.open`, except for DatabaseDamaged.
    """
    try:
        if _has_lost_its_content(path, backups):
            raise DatabaseDamaged(path, "it is empty")
        is_new = not path.exists()
        database = Database.open(path, schemas, backups)
    except DatabaseDamaged:
        kept_as = _set_aside(path)
        restored_from = _restore_newest(path, backups)
        return Opened(Database.open(path, schemas, backups), Recovery(kept_as, restored_from))
    if not is_new:
        _back_up_daily(database, backups)
    return Opened(database, None)


def _has_lost_its_content(path: Path, backups: Path) -> bool:
    if path.exists():
        return path.is_file() and _size(path) == 0 and (_size(_beside(path, "-wal")) > 0 or bool(list_backups(backups)))
    return _size(_beside(path, "-wal")) > 0


def _back_up_daily(database: Database, backups: Path) -> None:
    newest = next(iter(list_backups(backups)), None)
    if newest is not None and abs(time.time() - newest.stat().st_mtime) < BACKUP_INTERVAL_S:
        return
    try:
        database.back_up(backups)
    except (DiskFull, DatabaseUnreadable):
        logger.info("no daily backup", exc_info=True)


def _set_aside(path: Path) -> Path:
    """Rename the database and the files beside it to a free name; return it."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    extras = chain([""], (f"-{n}" for n in count(2)))
    candidates = (path.with_name(f"{path.stem}-damaged-{stamp}{extra}{path.suffix}") for extra in extras)
    kept_as = next(candidate for candidate in candidates if not candidate.exists())
    with mapped_file_errors(path):
        for suffix in ("", *_BESIDE):
            if _beside(path, suffix).exists():
                _beside(path, suffix).rename(_beside(kept_as, suffix))
    return kept_as


def _restore_newest(path: Path, backups: Path) -> Path | None:
    for backup in list_backups(backups):
        if is_intact(backup):
            part = path.with_name(path.name + ".part")
            with mapped_file_errors(path):
                shutil.copyfile(backup, part)
                part.chmod(0o600)
                part.replace(path)
            return backup
    return None


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
