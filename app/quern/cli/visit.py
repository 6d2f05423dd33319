"""A short visit to the data folder: as its owner when nobody has it, else only reading."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quern import models
from quern.base import (
    Database,
    Home,
    HomeOwned,
    NetworkPolicy,
    Ownership,
    QuernError,
    install_network_guard,
    open_or_recover,
    set_up_logging,
)
from quern.models import Library, ModelEntry, ModelNotFound
from quern.runtime import SCHEMAS, Trials
from quern.runtime.fit import fit_memory
from quern.runtime.load import trial
from quern.settings import Settings, SettingsStore

from .failure import say, say_problem

if TYPE_CHECKING:
    from quern.runtime import Fitting


@dataclass(eq=False)
class NoModels(QuernError):
    """A model is asked for by name, and there is none at all."""

    folder: Path

    sentence = "There are no models yet."
    advice = (
        "Put a .gguf file (huggingface.co has many) into {folder}, or give its path;"
        " or install Quern with its starter model."
    )


@dataclass(frozen=True, slots=True)
class Visit:
    """What a command works with. `database` is None where there is none yet, or none that can be used."""

    home: Home
    settings: Settings
    database: Database | None
    is_offline: bool

    @property
    def library(self) -> Library:
        """The models on this machine."""
        return Library(self.home, self.database)

    @property
    def trials(self) -> Trials:
        """Which settings proved safe here."""
        return Trials(self.database)

    @property
    def fitting(self) -> "Fitting":
        """Whether models fit here, and what loads took."""
        from quern.runtime import FitMemory, Fitting  # not every command reckons

        return Fitting(FitMemory(self.database), self.trials)

    def find(self, text: str) -> ModelEntry:
        """Return the model that a person means by `text`. Raises NoModels, and what Library.find raises."""
        try:
            return self.library.find(text)
        except ModelNotFound:
            if self.library.scan():
                raise
            raise NoModels(self.home.models) from None


@contextmanager
def visit(purpose: str) -> Generator[Visit, None, None]:
    """Open the data folder for the body of a `with`: keep it short, because a window that starts meanwhile must wait.

    Problems of the settings and the database are told on stderr and stop nothing. Raises HomeUnusable.
    """
    home = Home.locate()
    home.prepare()
    set_up_logging(home)
    settings = _settings(home)
    is_offline = settings.offline or NetworkPolicy.from_environ(os.environ).offline
    install_network_guard(NetworkPolicy(offline=is_offline))
    with open_database(home, purpose) as database:
        yield Visit(home, settings, database, is_offline)


@contextmanager
def open_database(home: Home, purpose: str) -> Generator[Database | None, None, None]:
    """Open the database for the body of a `with`: to write where nobody has the folder, else to read; None without."""
    ownership = _claim(home, purpose)
    try:
        database = _own_database(home) if ownership is not None else _others_database(home)
        try:
            yield database
        finally:
            if database is not None:
                database.close()
    finally:
        if ownership is not None:
            ownership.release()


def _settings(home: Home) -> Settings:
    store = SettingsStore(home.settings)
    settings = store.load()
    for problem in store.problems:
        say_problem(problem)
    return settings


def _claim(home: Home, purpose: str) -> Ownership | None:
    try:
        return Ownership.claim(home, purpose)
    except HomeOwned:
        return None


def _own_database(home: Home) -> Database | None:
    try:
        opened = open_or_recover(home.database, SCHEMAS, home.backups)
    except QuernError as error:
        say_problem(error)
        return None
    if opened.recovery is not None:
        say(f"Quern's data file was damaged; it is kept as {opened.recovery.kept_as}.")
    return opened.database


def _others_database(home: Home) -> Database | None:
    """Open another process's database for reading; what is wrong with it is that process's to tell."""
    try:
        return Database.open_read_only(home.database, (models.TABLES, trial.TABLES, fit_memory.TABLES))
    except QuernError:
        return None
