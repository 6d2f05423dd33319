"""Binds the status bar: what is loaded, on what, how fast, how much memory, and whether Quern is offline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quern.gui.viewmodels.desk import Desk
from quern.gui.widgets.status_bar import Status, StatusBar

if TYPE_CHECKING:
    from quern.gui.viewmodels.meter import MemoryReading


class _StatusBinding(QObject):
    """Owns the last status shown."""

    def __init__(self, bar: StatusBar, desk: Desk) -> None:
        super().__init__(bar)
        self._bar = bar
        self._desk = desk
        self._status = Status(is_offline=desk.is_offline)
        desk.shelf.residency_changed.connect(self._take_residency)
        desk.feed.speed_changed.connect(self._take_speed)
        desk.meter.measured.connect(self._take_memory)
        desk.preferences.changed.connect(self._show_again)
        self._show(self._status)

    def _take_residency(self) -> None:
        resident = self._desk.shelf.resident
        if self._desk.shelf.is_loading and self._desk.shelf.wanted is not None:
            model = self.tr("Loading {0}…").format(self._desk.shelf.wanted.name)
            self._show(replace(self._status, model=model, devices=(), caution=""))
        elif resident is None:
            self._show(replace(self._status, model="", devices=(), caution=""))
        else:
            from quern.runtime import why_safer

            devices, caution = resident.engine.facts.device_names, why_safer(resident.proof)
            self._show(replace(self._status, model=resident.entry.name, devices=devices, caution=caution))
        self._desk.meter.measure()

    def _take_speed(self, tokens_per_s: float | None) -> None:
        self._show(replace(self._status, tokens_per_s=tokens_per_s))

    def _take_memory(self, reading: MemoryReading) -> None:
        self._show(replace(self._status, used_bytes=reading.used_bytes, free_bytes=reading.free_bytes))

    def _show_again(self) -> None:
        self._show(self._status)

    def _show(self, status: Status) -> None:
        self._status = replace(status, is_offline=self._desk.is_offline)
        self._bar.show_status(self._status)


def bind_status(bar: StatusBar, desk: Desk) -> None:
    """Keep `bar` true."""
    _StatusBinding(bar, desk)
