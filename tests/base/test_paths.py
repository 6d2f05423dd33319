"""The data folder works wherever it can, and explains itself where it cannot (EV-07)."""

import errno
import os
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from platformdirs import user_data_dir

from quern.base import Database, Home, HomeUnusable, Schema

TABLES = Schema("notes", ("CREATE TABLE notes (text TEXT)",))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def umask(mask: int) -> Generator[None, None, None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def test_quern_home_moves_everything(tmp_path: Path):
    home = Home.locate({"QUERN_HOME": str(tmp_path / "elsewhere")})
    inside = (home.database, home.models, home.kv, home.logs, home.settings, home.lock, home.backups)
    assert all(path.is_relative_to(tmp_path / "elsewhere") for path in inside)
    assert len(set(inside)) == len(inside)
    assert home.database.name == "quern.db"
    assert home.settings.name == "settings.toml"


@pytest.mark.parametrize("environ", [{}, {"QUERN_HOME": ""}])
def test_without_quern_home_the_platform_says_where(environ: dict[str, str]):
    assert Home.locate(environ).root == Path(user_data_dir("quern", appauthor=False))


def test_a_relative_quern_home_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert Home.locate({"QUERN_HOME": "portable"}).root == tmp_path / "portable"


def test_locating_touches_nothing(tmp_path: Path):
    Home.locate({"QUERN_HOME": str(tmp_path / "new")})
    assert not (tmp_path / "new").exists()


def test_prepared_folders_are_private_whatever_the_umask(tmp_path: Path):
    """DB-13."""
    home = Home(tmp_path / "deep" / "quern")
    with umask(0o022):
        home.prepare()
        home.prepare()
    for folder in (home.root, home.models, home.kv, home.logs, home.backups):
        assert mode(folder) == 0o700
    assert sorted(path.name for path in home.root.iterdir()) == ["backups", "kv", "logs", "models"]


@pytest.mark.parametrize("name", ["Gerät mit Leerzeichen", "数据 ☕ données", "it's 100% #1?", "a" * 200])
def test_unusual_names_work_down_to_the_database(tmp_path: Path, name: str):
    """EV-07: non-ASCII, spaces, signs that mean something in a URI."""
    home = Home.locate({"QUERN_HOME": str(tmp_path / name)})
    home.prepare()
    database = Database.open(home.database, [TABLES], home.backups)
    with database.transaction() as connection:
        connection.execute("INSERT INTO notes VALUES ('kept')")
    copy = Database.open_read_only(home.database, [TABLES])
    with copy.reading() as connection:
        assert connection.execute("SELECT text FROM notes").fetchall() == [("kept",)]
    copy.close()
    database.close()


def test_the_longest_path_that_is_accepted_holds_a_database_and_a_longer_one_is_explained(tmp_path: Path):
    """EV-07: SQLite opens nothing beyond 504 bytes."""
    folder = tmp_path
    while len(os.fsencode(folder)) < 380:
        folder /= "long" * 10
    longest = folder / ("x" * (504 - len(os.fsencode(folder / "quern.db")) - 1))
    assert len(os.fsencode(longest / "quern.db")) == 504
    home = Home(longest)
    home.prepare()
    Database.open(home.database, [TABLES], home.backups).close()
    with pytest.raises(HomeUnusable, match="too long"):
        Home(longest.with_name(longest.name + "x")).prepare()
    with pytest.raises(HomeUnusable, match="too long"):
        Home(tmp_path / ("y" * 300)).prepare()


@pytest.mark.usefixtures("without_privilege")
def test_a_read_only_place_is_explained():
    """EV-07: read-only."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o500)
        with pytest.raises(HomeUnusable, match="not allowed to write") as caught:
            Home(Path(folder) / "quern").prepare()
        with pytest.raises(HomeUnusable, match="not allowed to write"):
            Home(Path(folder)).prepare()
        Path(folder).chmod(0o700)
    assert str(Path(folder) / "quern") in caught.value.what
    assert "QUERN_HOME" in caught.value.next_step


def test_a_file_in_the_way_is_explained(tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(HomeUnusable, match="a file in its place"):
        Home(tmp_path / "file").prepare()
    with pytest.raises(HomeUnusable, match=r"a file, not a folder|a file in its place"):
        Home(tmp_path / "file" / "quern").prepare()
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.EROFS, "read-only disk"),
        (errno.ENOENT, "drive or folder that should hold it does not exist"),
        (errno.ENOSPC, "disk is full"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
def test_every_refusal_of_the_system_becomes_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, reason: str
):
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code), str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(HomeUnusable, match=reason):
        Home(tmp_path / "drive" / "quern").prepare()


def test_a_null_character_is_explained(tmp_path: Path):
    with pytest.raises(HomeUnusable, match="null"):
        Home(tmp_path / "a\0b").prepare()


def test_a_full_disk_does_not_keep_a_prepared_home_from_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    home = Home(tmp_path / "quern")
    home.prepare()

    def refuse(path: Path, *_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(os, "open", refuse)
    home.prepare()
