"""Binds the model picker and the no-model page: which model answers, and how to get one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quern.base.units import format_bytes
from quern.gui.viewmodels.desk import Desk
from quern.gui.widgets.model_picker import ModelChoice

from .chat_column import ChatColumn
from .starter import words_of

if TYPE_CHECKING:
    from quern.base import Progress


class ChatLoading(QObject):
    """Owns the binding."""

    def __init__(self, column: ChatColumn, desk: Desk) -> None:
        super().__init__(column)
        self._column = column
        self._desk = desk
        shelf, picker = desk.shelf, column.picker
        shelf.changed.connect(self._show_choices)
        shelf.residency_changed.connect(self._show_residency)
        shelf.progressed.connect(self._show_progress)
        picker.picked.connect(self._pick)
        picker.unload_requested.connect(shelf.unload)
        picker.cancelled.connect(shelf.cancel_load)
        column.download_button.clicked.connect(desk.download.start)
        column.download_progress.cancelled.connect(desk.download.cancel)
        desk.download.state_changed.connect(self._show_download)
        desk.download.progressed.connect(self._show_download_progress)

    def _show_choices(self) -> None:
        usable = self._desk.shelf.usable
        self._column.picker.show_choices([ModelChoice(entry.name, format_bytes(entry.size_bytes)) for entry in usable])
        column = self._column
        if not usable and not self._desk.shelf.is_loading:
            column.stack.setCurrentWidget(column.no_model)
            column.composer.hide()
            if column.isVisible():
                column.download_button.setFocus()
        else:
            column.show_talk(has_messages=bool(self._desk.chat.messages))
            column.composer.show()

    def _show_residency(self) -> None:
        shelf, picker = self._desk.shelf, self._column.picker
        if shelf.is_loading and shelf.wanted is not None:
            picker.show_loaded(shelf.wanted.name)
            if picker.progress.isHidden():
                picker.show_progress(0.0, self.tr("Loading…"))
            return
        picker.show_progress(None, "")
        picker.show_loaded("" if shelf.resident is None else shelf.resident.entry.name)

    def _show_progress(self, progress: Progress) -> None:
        words = self.tr("Trying it out…") if progress.label == "checking" else self.tr("Loading…")
        self._column.picker.show_progress(progress.fraction, words)

    def _pick(self, name: str) -> None:
        entry = self._desk.shelf.find(name)
        if entry is not None:
            self._desk.load(entry)

    def _show_download(self) -> None:
        is_running = self._desk.download.is_running
        self._column.show_download(is_running=is_running)
        if is_running:
            if self._column.isVisible():
                self._column.download_progress.cancel_button.setFocus()
            self._column.download_progress.show_progress(None, self.tr("Connecting…"))

    def _show_download_progress(self, progress: Progress) -> None:
        self._column.download_progress.show_progress(progress.fraction, words_of(progress))
