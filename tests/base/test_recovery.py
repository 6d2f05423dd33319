"""Whatever became of the database's file, the app starts and nothing is deleted in silence (DB-04)."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quern.base import Database, DatabaseNewer, DiskFull, Opened, Schema, database, open_or_recover
from quern.base.backup import list_backups

TABLES = Schema("chat", ("CREATE TABLE chats (id INTEGER PRIMARY KEY, title TEXT)",))
PAGE_BYTES = 4096


def open_home(folder: Path) -> Opened:
    return open_or_recover(folder / "quern.db", [TABLES], folder / "backups")


def titles(database: Database) -> list[str]:
    with database.reading() as connection:
        return [title for (title,) in connection.execute("SELECT title FROM chats ORDER BY id")]


def fill(folder: Path, title: str = "kept") -> None:
    opened = open_home(folder)
    with opened.database.transaction() as connection:
        connection.executemany("INSERT INTO chats (title) VALUES (?)", [(title + "!" * 500,)] * 100)
    opened.database.close()


def randomise_page_2(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[PAGE_BYTES : 2 * PAGE_BYTES] = random.Random(4).randbytes(PAGE_BYTES)
    path.write_bytes(content)


def cut_in_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def make_it_text(path: Path) -> None:
    path.write_text("Dear diary, " * 5000)


def make_it_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("mine")


DAMAGES = [randomise_page_2, cut_in_half, make_it_text, make_it_a_folder]


def content(path: Path) -> bytes:
    return (path / "inside").read_bytes() if path.is_dir() else path.read_bytes()


@pytest.mark.parametrize("damage", DAMAGES)
def test_without_a_backup_a_damaged_file_is_kept_and_a_fresh_one_begun(tmp_path: Path, damage: Callable[[Path], None]):
    fill(tmp_path)
    damage(tmp_path / "quern.db")
    damaged = content(tmp_path / "quern.db")
    opened = open_home(tmp_path)
    assert opened.recovery is not None
    assert opened.recovery.restored_from is None
    assert opened.recovery.kept_as.parent == tmp_path
    assert content(opened.recovery.kept_as) == damaged
    assert titles(opened.database) == []
    opened.database.close()
    again = open_home(tmp_path)
    assert again.recovery is None
    again.database.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_newest_intact_backup_is_restored(tmp_path: Path, damage: Callable[[Path], None]):
    fill(tmp_path, "first")
    opened = open_home(tmp_path)
    good = list_backups(tmp_path / "backups")[0]
    bad = opened.database.back_up(tmp_path / "backups")
    opened.database.close()
    cut_in_half(bad)
    damage(tmp_path / "quern.db")
    opened = open_home(tmp_path)
    assert opened.recovery is not None
    assert opened.recovery.restored_from == good
    assert len(titles(opened.database)) == 100
    opened.database.close()
    assert good.exists()
    assert bad.exists()


def test_an_empty_file_is_a_new_database(tmp_path: Path):
    (tmp_path / "quern.db").touch()
    opened = open_home(tmp_path)
    assert opened.recovery is None
    assert titles(opened.database) == []
    opened.database.close()


def test_an_empty_file_beside_backups_was_not_always_empty(tmp_path: Path):
    fill(tmp_path)
    open_home(tmp_path).database.close()
    (tmp_path / "quern.db").write_bytes(b"")
    opened = open_home(tmp_path)
    assert opened.recovery is not None
    assert opened.recovery.kept_as.stat().st_size == 0
    assert len(titles(opened.database)) == 100
    opened.database.close()


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("lose", [empty, Path.unlink])
def test_a_write_ahead_log_without_its_database_is_kept(tmp_path: Path, lose: Callable[[Path], object]):
    """SQLite would delete it."""
    opened = open_home(tmp_path)
    with opened.database.transaction() as connection:
        connection.execute("INSERT INTO chats (title) VALUES ('only in the log')")
    log = (tmp_path / "quern.db-wal").read_bytes()
    opened.database.close()
    lose(tmp_path / "quern.db")
    (tmp_path / "quern.db-wal").write_bytes(log)
    opened = open_home(tmp_path)
    assert opened.recovery is not None
    kept = opened.recovery.kept_as
    assert kept.with_name(kept.name + "-wal").read_bytes() == log
    opened.database.close()


def test_two_damaged_files_within_a_second_are_both_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):

    def same_second(_: str) -> str:
        return "20261201-000000"

    monkeypatch.setattr(time, "strftime", same_second)
    kept: list[Path] = []
    for text in ("one", "two"):
        (tmp_path / "quern.db").write_text(text * 1000)
        opened = open_home(tmp_path)
        opened.database.close()
        assert opened.recovery is not None
        kept.append(opened.recovery.kept_as)
    assert [path.read_text()[:3] for path in kept] == ["one", "two"]


def test_a_newer_quern_s_database_is_not_damage(tmp_path: Path):
    fill(tmp_path)
    with pytest.raises(DatabaseNewer):
        open_or_recover(tmp_path / "quern.db", [Schema("chat", ())], tmp_path / "backups")
    opened = open_home(tmp_path)
    assert len(titles(opened.database)) == 100
    opened.database.close()


def test_a_used_database_is_backed_up_once_a_day(tmp_path: Path):
    fill(tmp_path)
    assert list_backups(tmp_path / "backups") == []
    open_home(tmp_path).database.close()
    (first,) = list_backups(tmp_path / "backups")
    open_home(tmp_path).database.close()
    assert list_backups(tmp_path / "backups") == [first]
    yesterday = time.time() - 25 * 3600
    os.utime(first, (yesterday, yesterday))
    open_home(tmp_path).database.close()
    assert len(list_backups(tmp_path / "backups")) == 2


def test_a_daily_backup_that_finds_no_room_does_not_keep_the_app_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    fill(tmp_path)

    def refuse(self: Database, _: Path) -> Path:
        raise DiskFull(self.path)

    monkeypatch.setattr(database.Database, "back_up", refuse)
    opened = open_home(tmp_path)
    assert len(titles(opened.database)) == 100
    opened.database.close()
