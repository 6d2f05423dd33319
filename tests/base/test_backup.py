"""Backups are whole, private, few, and can be taken while the database is written."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from quern.base import Database, DatabaseUnreadable, Schema
from quern.base.backup import KEPT_BACKUPS, is_intact, list_backups

TABLES = Schema("chat", ("CREATE TABLE chats (id INTEGER PRIMARY KEY, title TEXT)",))


def open_database(folder: Path) -> Database:
    return Database.open(folder / "quern.db", [TABLES], folder / "backups")


def insert(database: Database, n: int, title: str) -> None:
    with database.transaction() as connection:
        connection.executemany("INSERT INTO chats (title) VALUES (?)", [(title,)] * n)


def test_a_backup_while_streaming_has_every_row_committed_before_it(tmp_path: Path):
    """DB-10: and the restored copy passes the integrity check, while the writer is not kept waiting."""
    database = open_database(tmp_path)
    insert(database, 20_000, "x" * 1000)
    is_over, n_written, longest_s = Event(), 0, 0.0

    def stream() -> None:
        nonlocal n_written, longest_s
        while not is_over.is_set():
            started = time.monotonic()
            insert(database, 1, "streamed")
            longest_s = max(longest_s, time.monotonic() - started)
            n_written += 1
            time.sleep(0.002)

    writer = Thread(target=stream)
    writer.start()
    while n_written < 10:
        time.sleep(0.001)
    n_before = n_written
    (tmp_path / "elsewhere").mkdir()
    database.backup_to(tmp_path / "elsewhere" / "quern.db")
    n_during = n_written - n_before
    is_over.set()
    writer.join()
    n_after = n_written
    database.close()
    assert n_during > 0
    assert longest_s < 3.0
    with closing(sqlite3.connect(tmp_path / "elsewhere" / "quern.db")) as restored:
        assert restored.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        (n_rows,) = restored.execute("SELECT count(*) FROM chats").fetchone()
    assert 20_000 + n_before <= n_rows <= 20_000 + n_after
    reopened = open_database(tmp_path / "elsewhere")
    with reopened.reading() as connection:
        assert connection.execute("SELECT count(*) FROM chats").fetchone() == (n_rows,)
    reopened.close()


def test_a_backup_leaves_an_open_transaction_out(tmp_path: Path):
    database = open_database(tmp_path)
    insert(database, 3, "committed")
    is_open, may_end = Event(), Event()

    def hold() -> None:
        with database.transaction() as connection:
            connection.execute("INSERT INTO chats (title) VALUES ('open')")
            is_open.set()
            may_end.wait(30.0)

    holder = Thread(target=hold)
    holder.start()
    is_open.wait(30.0)
    copier = Thread(target=database.backup_to, args=(tmp_path / "copy.db",))
    copier.start()
    time.sleep(0.05)
    may_end.set()
    holder.join()
    copier.join()
    database.close()
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("SELECT count(*) FROM chats").fetchone() in [(3,), (4,)]
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_only_the_newest_backups_are_kept_in_order_whatever_the_clock_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    database = open_database(tmp_path)
    made: list[Path] = []
    months = iter(range(12, 0, -1))

    def ever_earlier(_: str) -> str:
        return f"2026{next(months):02}01-000000"

    monkeypatch.setattr(time, "strftime", ever_earlier)
    for _ in range(KEPT_BACKUPS + 2):
        made.append(database.back_up(tmp_path / "backups"))
    database.close()
    assert list_backups(tmp_path / "backups") == made[:1:-1]
    assert sorted((tmp_path / "backups").iterdir()) == sorted(made[2:])


def test_other_files_among_the_backups_are_let_be(tmp_path: Path):
    database = open_database(tmp_path)
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "my own copy.db").write_text("mine")
    backup = database.back_up(tmp_path / "backups")
    database.close()
    assert list_backups(tmp_path / "backups") == [backup]
    assert (tmp_path / "backups" / "my own copy.db").exists()


def test_a_backup_that_cannot_be_written_is_named_and_leaves_no_piece(tmp_path: Path):
    database = open_database(tmp_path)
    with pytest.raises(DatabaseUnreadable):
        database.backup_to(tmp_path / "no such folder" / "copy.db")
    (tmp_path / "taken").mkdir()
    with pytest.raises(DatabaseUnreadable):
        database.backup_to(tmp_path / "taken")
    database.close()
    assert list(tmp_path.glob("*.part")) == []


def test_an_intact_copy_is_told_from_a_damaged_one(tmp_path: Path):
    database = open_database(tmp_path)
    insert(database, 100, "x" * 1000)
    database.backup_to(tmp_path / "with space & 100%.db")
    database.close()
    copy = tmp_path / "with space & 100%.db"
    assert is_intact(copy)
    copy.write_bytes(copy.read_bytes()[:-4096])
    assert not is_intact(copy)
    assert not is_intact(tmp_path / "missing.db")
