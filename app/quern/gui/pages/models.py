"""The Models page: every model on this machine, what is known about it, and loading it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import (
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QHideEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from quern.gui.dialogs.text import TextDialog
from quern.gui.theme import GRID
from quern.gui.viewmodels.desk import Desk
from quern.gui.viewmodels.failure import Failure, failure_of
from quern.gui.widgets.banner import Banner, BannerText, Tone
from quern.gui.widgets.empty_state import EmptyState
from quern.gui.widgets.label import line, text_label
from quern.gui.widgets.model_detail import ModelDetail
from quern.gui.widgets.model_table import ModelTable
from quern.gui.widgets.page import Page
from quern.gui.widgets.shortcut import bind_keys

from .gpu_banner import GpuBanner
from .model_fact import facts_of_entry, template_text
from .model_fit import ModelFit
from .starter import starter_button, starter_progress, words_of

if TYPE_CHECKING:
    from quern.base import Progress
    from quern.models import ModelEntry


class ModelsPage(Page):
    """Owns table and detail panel. `files_dropped` carries a list of Paths, `chat_requested` after a load began.

    `machine_requested` asks for the Machine page.
    """

    add_requested = Signal()
    files_dropped = Signal(object)
    chat_requested = Signal()
    machine_requested = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.setAcceptDrops(True)
        self.setProperty("look", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.add_button = QPushButton(self.tr("Add model file…"))
        self.add_button.setToolTip(self.tr("Add a .gguf file (Ctrl+O), or drop one on this page"))
        self.banner = Banner()
        self.gpu_banner = Banner()
        self.table = ModelTable()
        self.detail = ModelDetail()
        self._line = line("column-line")
        self.empty = EmptyState(
            "models", self.tr("No models yet"), self.tr("Add a .gguf file that is on this computer, or drop one here.")
        )
        self.download_button = starter_button()
        self.download_progress = starter_progress()
        self.empty.show_buttons([self.download_button])
        self.empty.add_below(self.download_progress)
        self.hint = text_label(self.tr("Drop .gguf files anywhere on this page to add them."), "small", wraps=True)
        self._lay_out()
        self._fit = ModelFit(self.detail, desk)
        self._bind()
        self._just_added = ""
        self._show_rows()
        self._show_download()

    def say(self, failure: Failure) -> None:
        """Say what went wrong here."""
        self.banner.say(BannerText(Tone.ERROR, failure.what, failure.next_step))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the room between the table and the details."""
        super().resizeEvent(event)
        self.detail.give_room(event.size().width() // 2)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask how models fit."""
        super().showEvent(event)
        self._fit.see(is_seen=True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Ask nothing that nobody sees."""
        super().hideEvent(event)
        self._fit.see(is_seen=False)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if _model_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Add the files."""
        files = _model_files(event)
        if files:
            event.acceptProposedAction()
            self.files_dropped.emit(files)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(text_label(self.tr("Models"), "title"), 1)
        top.addWidget(self.add_button)
        left = QVBoxLayout()
        left.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, GRID)
        left.setSpacing(GRID)
        left.addLayout(top)
        left.addWidget(self.gpu_banner)
        left.addWidget(self.banner)
        left.addWidget(self.table, 1)
        left.addWidget(self.empty, 1)
        left.addWidget(self.hint)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(left, 1)
        layout.addWidget(self._line)
        layout.addWidget(self.detail)

    def _bind(self) -> None:
        shelf, detail = self._desk.shelf, self.detail
        shelf.changed.connect(self._show_rows)
        shelf.residency_changed.connect(self._show_rows)
        shelf.added.connect(self._take_added)
        self._fit.changed.connect(self._show_fit)
        self._fit.considered.connect(self._show_load_button)
        gpu = GpuBanner(self.gpu_banner, self._desk.gpu)
        gpu.machine_requested.connect(self.machine_requested)
        detail.fit.bind_keys_in(self)
        self.download_button.clicked.connect(self._desk.download.start)
        self.download_progress.cancelled.connect(self._desk.download.cancel)
        self._desk.download.state_changed.connect(self._show_download)
        self._desk.download.progressed.connect(self._show_download_progress)
        self.add_button.clicked.connect(self.add_requested)
        self.table.chosen.connect(self._show_detail)
        self.table.activated_model.connect(self._load)
        detail.load_button.clicked.connect(self._load)
        detail.template_button.clicked.connect(self._show_template)
        detail.reveal_button.clicked.connect(self._reveal)
        detail.remove_button.clicked.connect(self._remove)
        for title, keys, act in (
            (self.tr("Add a model file"), QKeySequence.StandardKey.Open, self.add_requested.emit),
            (self.tr("Read the list again"), QKeySequence.StandardKey.Refresh, shelf.refresh),
            (self.tr("Remove an added model from the list"), "Del", self._remove),
        ):
            bind_keys(self, title, keys, act)

    def _entry(self) -> ModelEntry | None:
        return self._desk.shelf.find(self.table.current_name())

    def _show_rows(self) -> None:
        has_models = bool(self._desk.shelf.entries)
        for widget in (self.table, self.hint, self._line, self.detail):
            widget.setVisible(has_models)
        self.empty.setVisible(not has_models)
        self.settle(self.table if has_models else self.download_button)
        self.table.show_rows(self._fit.rows())
        if self._desk.shelf.find(self._just_added) is not None:
            self.table.choose(self._just_added)
            self._just_added = ""
        self._show_detail()

    def _show_fit(self) -> None:
        self.table.show_changes(self._fit.rows())

    def _take_added(self, entry: ModelEntry) -> None:
        """Choose the new model as soon as the list holds it."""
        self.banner.dismiss()
        self._just_added = entry.name
        self._show_rows()

    def _show_download(self) -> None:
        is_running = self._desk.download.is_running
        self.download_button.setVisible(not is_running)
        self.download_progress.setVisible(is_running)
        if is_running:
            self.download_progress.show_progress(None, self.tr("Connecting…"))

    def _show_download_progress(self, progress: Progress) -> None:
        self.download_progress.show_progress(progress.fraction, words_of(progress))

    def _show_detail(self) -> None:
        entry = self._entry()
        self.detail.content.setVisible(entry is not None)
        if entry is None:
            self._fit.choose(None)
            return
        failure = None if entry.problem is None else failure_of(entry.problem)
        problem = "" if failure is None else f"{failure.what} {failure.next_step}"
        self.detail.show_model(entry.name, problem, facts_of_entry(entry))
        self._fit.choose(entry)
        self._show_load_button()
        self.detail.template_button.setEnabled(entry.facts is not None and bool(entry.facts.chat_templates))
        self.detail.remove_button.setVisible(entry.origin == "added")

    def _show_load_button(self) -> None:
        entry = self._entry()
        if entry is not None:
            is_changed = self._fit.chosen_settings(entry) is not None
            self.detail.show_loaded(is_loaded=self._is_loaded(entry), is_changed=is_changed)
            self.detail.load_button.setEnabled(entry.is_usable)

    def _is_loaded(self, entry: ModelEntry) -> bool:
        shelf = self._desk.shelf
        return not shelf.is_loading and shelf.resident is not None and shelf.resident.entry.name == entry.name

    def _load(self) -> None:
        """Load the chosen model as the panel has it, unless it is loaded so already, and go to the chat."""
        entry = self._entry()
        if entry is not None and entry.is_usable:
            settings = self._fit.chosen_settings(entry)
            if settings is not None or not self._is_loaded(entry):
                self._desk.load(entry, settings)
            self.chat_requested.emit()

    def _show_template(self) -> None:
        entry = self._entry()
        if entry is None or entry.facts is None:
            return
        sentence = self.tr(
            "{0} turns a chat into its prompt with this template. It is shown exactly as the file has it."
        )
        title = self.tr("Chat template")
        TextDialog(title, sentence.format(entry.name), template_text(entry.facts), self).open()

    def _reveal(self) -> None:
        entry = self._entry()
        if entry is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(entry.path.parent)))

    def _remove(self) -> None:
        entry = self._entry()
        if entry is not None:
            self._desk.shelf.forget(entry)


def _model_files(event: QDropEvent) -> list[Path]:
    urls = event.mimeData().urls() if event.mimeData().hasUrls() else []
    return [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
