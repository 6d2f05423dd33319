"""Binds how models fit to the Models page: the panel in the details, and a few words for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quern.gui.dialogs.fit_binding import bind_fit
from quern.gui.viewmodels.desk import Desk
from quern.gui.viewmodels.fit import FitPhase
from quern.gui.widgets.model_detail import ModelDetail
from quern.gui.widgets.model_rows import ModelRow

from .model_fact import row_of

if TYPE_CHECKING:
    from quern.models import ModelEntry
    from quern.settings import Settings
    from quern.spec import LoadSettings


class ModelFit(QObject):
    """Owns what the page considers. Nothing is asked while the page is not seen.

    `changed` follows how the models of the table fit, `considered` what is considered for the chosen one.
    """

    changed = Signal()
    considered = Signal()

    def __init__(self, detail: ModelDetail, desk: Desk) -> None:
        super().__init__(detail)
        self._detail = detail
        self._desk = desk
        self._is_seen = False
        self._entry: ModelEntry | None = None
        bind_fit(detail.fit, desk.fitter)
        desk.shelf_fit.changed.connect(self.changed)
        desk.fitter.answered.connect(self.considered)
        desk.fitter.changed.connect(self.considered)
        desk.shelf.residency_changed.connect(self._follow_residency)
        desk.preferences.changed.connect(self._follow_settings)

    def see(self, *, is_seen: bool) -> None:
        """Begin or stop to ask."""
        self._is_seen = is_seen
        if is_seen:
            self._desk.shelf_fit.ask()
            self._consider(self._entry)
        else:
            self._desk.shelf_fit.rest()

    def choose(self, entry: ModelEntry | None) -> None:
        """Show how `entry` fits."""
        usable = entry if entry is not None and entry.is_usable else None
        if usable != self._entry:
            self._entry = usable
            self._consider(usable)
        self._detail.fit_group.setVisible(usable is not None)

    def rows(self) -> list[ModelRow]:
        """Return every model as the table shows it, with how it fits at the person's own settings, where known."""
        shelf = self._desk.shelf
        loaded = "" if shelf.resident is None else shelf.resident.entry.name
        return [row_of(entry, loaded, self._desk.shelf_fit.report(entry)) for entry in shelf.entries]

    def chosen_settings(self, entry: ModelEntry) -> LoadSettings | None:
        """Return what the panel holds for `entry`, None where a person changed nothing in it."""
        fitter = self._desk.fitter
        is_shown = fitter.phase is FitPhase.READY and fitter.entry == entry
        return fitter.settings if is_shown and fitter.is_changed else None

    def _consider(self, entry: ModelEntry | None) -> None:
        fitter = self._desk.fitter
        if not self._is_seen:
            return
        if entry is None:
            fitter.show(None)
        elif fitter.entry != entry or fitter.phase is not FitPhase.READY:
            self._desk.consider(fitter, entry)

    def _follow_residency(self) -> None:
        """What was loaded or freed changes what is left; the loaded model begins at what it is loaded with."""
        shelf, fitter = self._desk.shelf, self._desk.fitter
        if not self._is_seen:
            fitter.forget_answers()
        elif not shelf.is_loading:
            resident = shelf.resident
            is_shown = resident is not None and resident.entry == fitter.entry
            fitter.renew(resident.engine.facts.settings if resident is not None and is_shown else None)

    def _follow_settings(self, older: Settings, newer: Settings) -> None:
        if (older.load, older.load_wish) != (newer.load, newer.load_wish) and self._entry is not None:
            self._desk.fitter.forget_answers()
            self._consider(self._entry)
