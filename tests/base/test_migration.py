"""Tables are brought up to date step by step, all or nothing."""

import sqlite3
from pathlib import Path

import pytest

from quern.base import Database, DatabaseNewer, Schema
from quern.base.backup import list_backups

FIRST = "CREATE TABLE chats (id INTEGER PRIMARY KEY, title TEXT); CREATE TABLE words (chat INTEGER REFERENCES chats);"
SECOND = """
-- a comment; with a semicolon, and a trigger that holds two
ALTER TABLE chats ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER tidy AFTER DELETE ON chats BEGIN
    DELETE FROM words WHERE chat = old.id;
    INSERT INTO chats (title) VALUES ('a;b');
END;
INSERT INTO chats (title, pinned) VALUES ('it''s; new', 1)
"""
CHAT_1 = Schema("chat", (FIRST,))
CHAT_2 = Schema("chat", (FIRST, SECOND))
MODELS = Schema("models", ("CREATE TABLE models (name TEXT)",))


def open_database(folder: Path, *schemas: Schema) -> Database:
    return Database.open(folder / "quern.db", schemas, folder / "backups")


def names(database: Database, kind: str) -> set[str]:
    with database.reading() as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = ?", (kind,))}


def test_a_new_database_gets_every_rooms_tables_without_a_backup(tmp_path: Path):
    database = open_database(tmp_path, CHAT_2, MODELS)
    assert names(database, "table") == {"schema_versions", "chats", "words", "models"}
    assert names(database, "trigger") == {"tidy"}
    with database.reading() as connection:
        assert connection.execute("SELECT title, pinned FROM chats").fetchall() == [("it's; new", 1)]
        assert dict(connection.execute("SELECT room, version FROM schema_versions")) == {"chat": 2, "models": 1}
    database.close()
    assert list_backups(tmp_path / "backups") == []


def test_an_older_database_is_backed_up_and_then_brought_up_to_date(tmp_path: Path):
    database = open_database(tmp_path, CHAT_1)
    with database.transaction() as connection:
        connection.execute("INSERT INTO chats (title) VALUES ('old')")
    database.close()
    database = open_database(tmp_path, CHAT_2, MODELS)
    with database.reading() as connection:
        assert connection.execute("SELECT title, pinned FROM chats").fetchall() == [("old", 0), ("it's; new", 1)]
    database.close()
    (backup,) = list_backups(tmp_path / "backups")
    before = sqlite3.connect(backup)
    assert before.execute("SELECT * FROM chats").fetchall() == [(1, "old")]
    before.close()


def test_an_up_to_date_database_is_left_alone(tmp_path: Path):
    open_database(tmp_path, CHAT_2).close()
    database = open_database(tmp_path, CHAT_2)
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM chats").fetchone() == (1,)
    database.close()
    assert list_backups(tmp_path / "backups") == []


def test_a_step_that_fails_changes_nothing(tmp_path: Path):
    open_database(tmp_path, CHAT_1).close()
    broken = Schema("chat", (FIRST, "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1);"))
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        open_database(tmp_path, broken)
    database = open_database(tmp_path, CHAT_1)
    assert names(database, "table") == {"schema_versions", "chats", "words"}
    database.close()


def test_a_step_may_rebuild_a_parent_table_but_may_not_leave_orphans(tmp_path: Path):
    """DB-12: foreign keys hold across migrations."""
    database = open_database(tmp_path, CHAT_1)
    with database.transaction() as connection:
        connection.execute("INSERT INTO chats (id, title) VALUES (1, 'old')")
        connection.execute("INSERT INTO words (chat) VALUES (1)")
    database.close()
    orphaning = Schema("chat", (FIRST, "DELETE FROM chats;"))
    with pytest.raises(sqlite3.IntegrityError, match="without their parent"):
        open_database(tmp_path, orphaning)
    rebuild = "CREATE TABLE new (id INTEGER PRIMARY KEY); INSERT INTO new SELECT id FROM chats; DROP TABLE chats; "
    database = open_database(tmp_path, Schema("chat", (FIRST, rebuild + "ALTER TABLE new RENAME TO chats;")))
    with database.reading() as connection:
        assert connection.execute("SELECT chat FROM words").fetchall() == [(1,)]
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    database.close()


def test_a_newer_quern_s_database_is_refused_and_left_alone(tmp_path: Path):
    open_database(tmp_path, CHAT_2).close()
    before = (tmp_path / "quern.db").read_bytes()
    with pytest.raises(DatabaseNewer) as caught:
        open_database(tmp_path, CHAT_1)
    assert caught.value.room == "chat"
    assert "newer Quern" in caught.value.what
    assert (tmp_path / "quern.db").read_bytes() == before


def test_a_room_that_this_quern_does_not_know_is_kept(tmp_path: Path):
    open_database(tmp_path, CHAT_2, MODELS).close()
    database = open_database(tmp_path, CHAT_2)
    assert "models" in names(database, "table")
    database.close()
