"""The database commits whole transactions, from any thread, and names what goes wrong."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from quern.base import (
    Database,
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseMissing,
    DatabaseNewer,
    DatabaseOlder,
    DatabaseReadOnly,
    DatabaseUnreadable,
    DiskFull,
    Schema,
    database_error,
)

TABLES = Schema(
    "chat",
    (
        "CREATE TABLE chats (id INTEGER PRIMARY KEY, title TEXT);"
        "CREATE TABLE words (chat INTEGER NOT NULL REFERENCES chats ON DELETE CASCADE, text TEXT);",
    ),
)
LOCKER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
connection.execute("COMMIT")
"""
WRITER = """
import sys
from pathlib import Path
from quern.base import Database, Schema
folder = Path(sys.argv[1])
database = Database.open(folder / "quern.db", [Schema("chat", (sys.argv[2],))], folder / "backups")
for n in range(1_000_000):
    with database.transaction() as connection:
        connection.execute("INSERT INTO chats (title) VALUES (?)", (str(n) * 50,))
    print(n, flush=True)
"""


def open_database(folder: Path) -> Database:
    return Database.open(folder / "quern.db", [TABLES], folder / "backups")


@pytest.fixture
def database(tmp_path: Path) -> Generator[Database, None, None]:
    database = open_database(tmp_path)
    yield database
    database.close()


def add(database: Database, title: str) -> None:
    with database.transaction() as connection:
        connection.execute("INSERT INTO chats (title) VALUES (?)", (title,))


def titles(database: Database) -> list[str]:
    with database.reading() as connection:
        return [title for (title,) in connection.execute("SELECT title FROM chats ORDER BY id")]


@contextmanager
def locked_elsewhere(path: Path, seconds: float) -> Generator[None, None, None]:
    with subprocess.Popen([sys.executable, "-c", LOCKER, str(path), str(seconds)], stdout=subprocess.PIPE) as locker:
        assert locker.stdout is not None
        assert locker.stdout.readline() == b"locked\n"
        yield
        locker.kill()


def test_what_was_committed_is_there_after_reopening(tmp_path: Path):
    database = open_database(tmp_path)
    add(database, "kept")
    database.close()
    database = open_database(tmp_path)
    assert titles(database) == ["kept"]
    assert not database.is_read_only
    database.close()
    assert [path.name for path in tmp_path.glob("quern.db*")] == ["quern.db"]


def test_the_connection_has_wal_foreign_keys_and_normal_sync(database: Database):
    with database.reading() as connection:
        settings = [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
        ]
    assert settings == ["wal", 1, 1, 5000]


def test_an_error_inside_a_transaction_undoes_all_of_it(database: Database):
    add(database, "before")
    with pytest.raises(ZeroDivisionError), database.transaction() as connection:
        connection.execute("INSERT INTO chats (title) VALUES ('half')")
        raise ZeroDivisionError
    assert titles(database) == ["before"]
    add(database, "after")
    assert titles(database) == ["before", "after"]


def test_a_reading_inside_a_transaction_sees_it(database: Database):
    with database.transaction() as connection:
        connection.execute("INSERT INTO chats (title) VALUES ('mine')")
        assert titles(database) == ["mine"]


def test_transactions_do_not_nest(database: Database):
    with pytest.raises(AssertionError, match="nest"), database.transaction():
        add(database, "inner")
    assert titles(database) == []


def test_children_go_with_their_parent_in_one_transaction(database: Database):
    """DB-12."""
    with database.transaction() as connection:
        connection.execute("INSERT INTO chats (id, title) VALUES (1, 'doomed'), (2, 'kept')")
        connection.execute("INSERT INTO words VALUES (1, 'a'), (1, 'b'), (2, 'c')")
    with database.transaction() as connection:
        connection.execute("DELETE FROM chats WHERE id = 1")
    with database.reading() as connection:
        assert connection.execute("SELECT chat, text FROM words").fetchall() == [(2, "c")]
    with pytest.raises(sqlite3.IntegrityError), database.transaction() as connection:
        connection.execute("INSERT INTO words VALUES (99, 'orphan')")


def test_mistakes_in_sql_are_not_dressed_up(database: Database):
    with pytest.raises(sqlite3.OperationalError, match="no such table"), database.reading() as connection:
        connection.execute("SELECT * FROM nowhere")


def test_threads_take_turns(database: Database):
    def write(who: int) -> None:
        for n in range(50):
            with database.transaction() as connection:
                (before,) = connection.execute("SELECT count(*) FROM chats").fetchone()
                connection.execute("INSERT INTO chats (title) VALUES (?)", (f"{who}.{n} after {before}",))

    threads = [Thread(target=write, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [int(title.rpartition(" ")[2]) for title in titles(database)] == list(range(200))


def test_files_are_private_whatever_the_umask(tmp_path: Path):
    """DB-13: the database, its log, its index and its backups."""
    before = os.umask(0o022)
    try:
        database = open_database(tmp_path)
        add(database, "secret")
        database.backup_to(tmp_path / "copy.db")
        database.back_up(tmp_path / "backups")
        files = [*tmp_path.glob("*.db*"), *(tmp_path / "backups").iterdir()]
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in files}
        database.close()
    finally:
        os.umask(before)
    assert len(modes) == 5
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "backups").stat().st_mode) == 0o700


def test_a_readable_database_is_made_private_when_opened(tmp_path: Path):
    """DB-13."""
    open_database(tmp_path).close()
    (tmp_path / "quern.db").chmod(0o644)
    open_database(tmp_path).close()
    assert stat.S_IMODE((tmp_path / "quern.db").stat().st_mode) == 0o600


def test_a_short_lock_elsewhere_is_waited_for(database: Database):
    """DB-02: 3 seconds."""
    with locked_elsewhere(database.path, 3.0):
        started = time.monotonic()
        add(database, "patient")
        assert 2.0 < time.monotonic() - started < 5.0
    assert titles(database) == ["patient"]


def test_a_long_lock_elsewhere_is_named_and_a_retry_works(database: Database):
    """DB-02: 60 seconds."""
    with locked_elsewhere(database.path, 60.0):
        started = time.monotonic()
        with pytest.raises(DatabaseBusy) as caught:
            add(database, "refused")
        assert 4.5 < time.monotonic() - started < 8.0
        assert "Another program" in caught.value.what
    add(database, "retried")
    assert titles(database) == ["retried"]


def test_a_full_disk_is_named_loses_nothing_and_passes(database: Database):
    """DB-06: the same result code as on a full disk, from a bound on the file's pages."""
    add(database, "before")
    with database.reading() as connection:
        (n_pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {n_pages + 2}")
    long = "word " * 20_000
    with pytest.raises(DiskFull) as caught:
        add(database, long)
    assert caught.value.path == database.path
    assert titles(database) == ["before"]
    with database.reading() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    add(database, long)
    assert titles(database) == ["before", long]
    with database.reading() as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_kill_9_loses_nothing_that_was_committed(tmp_path: Path):
    """DB-01: the database's half."""
    command = [sys.executable, "-c", WRITER, str(tmp_path), TABLES.migrations[0]]
    for pause_s in (0.05, 0.12, 0.21):
        database = open_database(tmp_path)
        n_before = len(titles(database))
        database.close()
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(pause_s)
            writer.send_signal(signal.SIGKILL)
            n_committed = 1 + len(writer.stdout.readlines())
        database = open_database(tmp_path)
        assert n_before + n_committed <= len(titles(database)) <= n_before + n_committed + 1
        with database.reading() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        database.close()


def test_a_second_process_reads_what_the_owner_writes_and_writes_nothing(database: Database):
    """DB-03: no "database is locked"."""
    reader = Database.open_read_only(database.path, [TABLES])
    assert reader.is_read_only
    add(database, "fresh")
    assert titles(reader) == ["fresh"]
    with pytest.raises(DatabaseReadOnly):
        add(reader, "forbidden")
    with pytest.raises(DatabaseReadOnly), reader.reading() as connection:
        connection.execute("INSERT INTO chats (title) VALUES ('sneaky')")
    with database.transaction() as connection:
        connection.execute("INSERT INTO chats (title) VALUES ('not yet')")
        assert titles(reader) == ["fresh"]
    reader.close()


def test_a_closed_database_can_be_read_by_another_process(tmp_path: Path):
    database = open_database(tmp_path)
    add(database, "kept")
    database.close()
    reader = Database.open_read_only(tmp_path / "quern.db", [TABLES])
    assert titles(reader) == ["kept"]
    reader.close()


def test_reading_only_makes_no_file_and_accepts_no_other_version(tmp_path: Path):
    with pytest.raises(DatabaseMissing):
        Database.open_read_only(tmp_path / "quern.db", [TABLES])
    assert list(tmp_path.glob("quern*")) == []
    open_database(tmp_path).close()
    with pytest.raises(DatabaseOlder):
        Database.open_read_only(tmp_path / "quern.db", [Schema("chat", (*TABLES.migrations, "SELECT 1"))])
    with pytest.raises(DatabaseNewer):
        Database.open_read_only(tmp_path / "quern.db", [Schema("chat", ())])


def test_what_is_not_a_database_is_named(tmp_path: Path):
    (tmp_path / "quern.db").write_text("Dear diary, " * 1000)
    with pytest.raises(DatabaseDamaged, match="not a database"):
        open_database(tmp_path)
    with pytest.raises(DatabaseDamaged, match="not a database"):
        Database.open_read_only(tmp_path / "quern.db", [TABLES])


@pytest.mark.usefixtures("without_privilege")
def test_a_file_that_may_not_be_read_is_named_and_kept(tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.getbasetemp() / "quern.db"
    with pytest.raises(DatabaseUnreadable, match="Permission denied"):
        Database.open(path, [TABLES], path.parent)


def test_every_result_code_of_a_bad_disk_has_a_name(tmp_path: Path):
    def name(code: int) -> str:
        error = sqlite3.OperationalError("from the disk")
        error.sqlite_errorcode = code
        return type(database_error.as_database_error(error, tmp_path)).__name__

    assert name(sqlite3.SQLITE_IOERR_SHMSIZE) == "DiskFull"
    assert name(sqlite3.SQLITE_FULL) == "DiskFull"
    assert name(sqlite3.SQLITE_IOERR_READ) == "DatabaseUnreadable"
    assert name(sqlite3.SQLITE_CANTOPEN_ISDIR) == "DatabaseUnreadable"
    assert name(sqlite3.SQLITE_BUSY_SNAPSHOT) == "DatabaseBusy"
    assert name(sqlite3.SQLITE_LOCKED) == "DatabaseBusy"
    assert name(sqlite3.SQLITE_CORRUPT_VTAB) == "DatabaseDamaged"
    assert name(sqlite3.SQLITE_READONLY_DBMOVED) == "DatabaseReadOnly"
    assert name(sqlite3.SQLITE_CONSTRAINT) == "NoneType"
    assert database_error.as_database_error(sqlite3.ProgrammingError("closed"), tmp_path) is None
