"""A library of one's own: an empty data folder, its database, and no starter model unless a test asks for it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quern.base import Database, Home
from quern.models import TABLES, Library
from quern.models import library as library_module


@pytest.fixture
def home(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """An empty data folder; the starter model is hidden."""
    monkeypatch.setattr(library_module, "starter_path", lambda: None)
    home = Home(own_home)
    home.prepare()
    return home


@pytest.fixture
def database(home: Home) -> Iterator[Database]:
    """The folder's database, with the library's tables."""
    database = Database.open(home.database, (TABLES,), home.backups)
    yield database
    database.close()


@pytest.fixture
def library(home: Home, database: Database) -> Library:
    """The library of that folder."""
    return Library(home, database)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The model files that scans have opened since the test began."""
    from quern.models import examination

    paths: list[Path] = []
    inspect: Callable[[Path], object] = examination.inspect_file

    def record(path: Path) -> object:
        paths.append(path)
        return inspect(path)

    monkeypatch.setattr(examination, "inspect_file", record)
    return paths
