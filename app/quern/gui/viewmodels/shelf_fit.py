"""Whether each model of the library fits at the person's own settings, found out in the background."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quern.base import Cancelled, JobPool, Publisher, QuernError
from quern.gui.bridge import Bridge

from .latest import Latest, Overtaken
from .preferences import Preferences
from .shelf import Shelf

if TYPE_CHECKING:
    from pathlib import Path

    from quern.base import CancelToken, Job
    from quern.fit import FitReport, Wish
    from quern.models import ModelEntry
    from quern.runtime import Fitting
    from quern.settings import Settings
    from quern.spec import LoadSettings


@dataclass(frozen=True, slots=True)
class _Question:
    """One model under one way to load it; the same question has the same answer, until memory is used otherwise."""

    path: Path
    size_bytes: int
    settings: LoadSettings
    wish: Wish | None


class ShelfFit(QObject):
    """Owns the newest answer for every model; `changed` when some came.

    Answers are kept until the settings or what is loaded change; only the Models page asks for them (`ask`).
    """

    changed = Signal()

    def __init__(self, bridge: Bridge, jobs: JobPool, shelf: Shelf, preferences: Preferences) -> None:
        super().__init__()
        self._shelf = shelf
        self._fitting: Fitting | None = None
        self._way: tuple[LoadSettings, Wish | None] = (preferences.current.load, preferences.current.load_wish)
        self._found: Publisher[tuple[_Question, FitReport | None]] = Publisher()
        self._answers: dict[_Question, FitReport | None] = {}
        self._stale: set[_Question] = set()
        self._is_asked = False
        self._asking = Latest[None](bridge, jobs, Overtaken.DROPPED, lambda _result: None, lambda _error: None)
        bridge.listen(self._found, self._take)
        shelf.changed.connect(self._ask_if_asked)
        shelf.residency_changed.connect(self._ask_anew)
        preferences.changed.connect(self._follow)

    def open(self, fitting: Fitting) -> None:
        """Use `fitting` from now on."""
        self._fitting = fitting
        self._ask_if_asked()

    def close(self) -> None:
        """Ask nothing any more."""
        self.rest()

    def ask(self) -> None:
        """Find out what is not known yet, now and whenever the library changes."""
        self._is_asked = True
        self._ask_if_asked()

    def rest(self) -> None:
        """Ask nothing until `ask` is called again."""
        self._is_asked = False
        self._asking.drop()

    def report(self, entry: ModelEntry) -> FitReport | None:
        """Return how `entry` fits; None where it is not known (yet)."""
        return self._answers.get(self._question(entry))

    def _question(self, entry: ModelEntry) -> _Question:
        return _Question(entry.path, entry.size_bytes, *self._way)

    def _follow(self, older: Settings, newer: Settings) -> None:
        del older
        if self._way != (newer.load, newer.load_wish):
            self._way = newer.load, newer.load_wish
            self._ask_if_asked()
            self.changed.emit()

    def _ask_anew(self) -> None:
        """What is loaded takes memory that others then lack; old answers are shown until new ones come."""
        self._stale = set(self._answers)
        if not self._shelf.is_loading:
            self._ask_if_asked()

    def _ask_if_asked(self) -> None:
        known = self._answers.keys() - self._stale
        fitting, found = self._fitting, self._found
        asked = [(entry, self._question(entry)) for entry in self._shelf.usable]
        waiting = [(entry, question) for entry, question in asked if question not in known]
        if not self._is_asked or fitting is None or not waiting:
            return

        def work(job: Job[None]) -> None:
            for entry, question in waiting:
                found.publish((question, _report(fitting, entry, question, job.cancel_token)))

        self._asking.ask(work)

    def _take(self, found: tuple[tuple[_Question, FitReport | None], ...]) -> None:
        self._answers.update(found)
        self._stale -= {question for question, _report in found}
        self.changed.emit()


def _report(fitting: Fitting, entry: ModelEntry, question: _Question, cancel: CancelToken) -> FitReport | None:
    """Return how `entry` fits, None where that cannot be said. Raises Cancelled."""
    from quern.runtime import Companions

    try:
        session = fitting.open(entry, Companions(), cancel)
        settings = question.settings if question.wish is None else session.best(question.wish, question.settings)
        return session.instant(settings)
    except Cancelled:
        raise
    except QuernError:
        return None
