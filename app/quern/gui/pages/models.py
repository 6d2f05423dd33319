"""The Models page: every model on this machine, what is known about it, and loading it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent, QKeySequence, QShortcut
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

from .model_fact import facts_of_entry, row_of

if TYPE_CHECKING:
    from quern.models import ModelEntry


class ModelsPage(QWidget):
    """Owns table and detail panel. `files_dropped` carries a list of Paths, `chat_requested` after a load began."""

    add_requested = Signal()
    files_dropped = Signal(object)
    chat_requested = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.setAcceptDrops(True)
        self.setProperty("look", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.add_button = QPushButton(self.tr("Add model file…"))
        self.add_button.setToolTip(self.tr("Add a .gguf file (Ctrl+O), or drop one on this page"))
        self.banner = Banner()
        self.table = ModelTable()
        self.detail = ModelDetail()
        self.empty = EmptyState(
            "models", self.tr("No models yet"), self.tr("Add a .gguf file that is on this computer, or drop one here.")
        )
        self.hint = text_label(self.tr("Drop .gguf files anywhere on this page to add them."), "small")
        self._lay_out()
        self._bind()
        self.setFocusProxy(self.table)
        self._show_rows()

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
        left.addWidget(self.banner)
        left.addWidget(self.table, 1)
        left.addWidget(self.empty, 1)
        left.addWidget(self.hint)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(left, 1)
        layout.addWidget(line("column-line"))
        layout.addWidget(self.detail)

    def _bind(self) -> None:
        shelf, detail = self._desk.shelf, self.detail
        shelf.changed.connect(self._show_rows)
        shelf.residency_changed.connect(self._show_rows)
        shelf.failed.connect(self._say)
        shelf.added.connect(self.banner.dismiss)
        self.add_button.clicked.connect(self.add_requested)
        self.table.chosen.connect(self._show_detail)
        self.table.activated_model.connect(self._load)
        detail.load_button.clicked.connect(self._load)
        detail.template_button.clicked.connect(self._show_template)
        detail.reveal_button.clicked.connect(self._reveal)
        detail.remove_button.clicked.connect(self._remove)
        for keys, act in (
            (QKeySequence(QKeySequence.StandardKey.Open), self.add_requested.emit),
            (QKeySequence(QKeySequence.StandardKey.Refresh), shelf.refresh),
            (QKeySequence("Del"), self._remove),
        ):
            shortcut = QShortcut(keys, self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)

    def _entry(self) -> ModelEntry | None:
        return self._desk.shelf.find(self.table.current_name())

    def _show_rows(self) -> None:
        resident = self._desk.shelf.resident
        loaded = "" if resident is None else resident.entry.name
        has_models = bool(self._desk.shelf.entries)
        for widget in (self.table, self.hint):
            widget.setVisible(has_models)
        self.empty.setVisible(not has_models)
        self.table.show_rows([row_of(entry, loaded) for entry in self._desk.shelf.entries])
        self._show_detail()

    def _show_detail(self) -> None:
        entry = self._entry()
        self.detail.content.setVisible(entry is not None)
        if entry is None:
            return
        problem = "" if entry.problem is None else _sentence(failure_of(entry.problem))
        self.detail.show_model(entry.name, problem, facts_of_entry(entry))
        self.detail.load_button.setEnabled(entry.is_usable)
        self.detail.template_button.setEnabled(entry.facts is not None and bool(entry.facts.chat_templates))
        self.detail.remove_button.setVisible(entry.origin == "added")

    def _load(self) -> None:
        entry = self._entry()
        if entry is not None and entry.is_usable:
            self._desk.load(entry)
            self.chat_requested.emit()

    def _show_template(self) -> None:
        entry = self._entry()
        if entry is None or entry.facts is None:
            return
        templates = entry.facts.chat_templates
        text = "\n\n".join(
            source if len(templates) == 1 else f"{{# {name} #}}\n{source}" for name, source in templates.items()
        )
        sentence = self.tr(
            "{0} turns a chat into its prompt with this template. It is shown exactly as the file has it."
        )
        TextDialog(self.tr("Chat template"), sentence.format(entry.name), text, self).open()

    def _reveal(self) -> None:
        entry = self._entry()
        if entry is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(entry.path.parent)))

    def _remove(self) -> None:
        entry = self._entry()
        if entry is not None:
            self._desk.shelf.forget(entry)

    def _say(self, failure: Failure) -> None:
        self.banner.say(BannerText(Tone.ERROR, failure.what, failure.next_step))


def _sentence(failure: Failure) -> str:
    return f"{failure.what} {failure.next_step}"


def _model_files(event: QDropEvent) -> list[Path]:
    urls = event.mimeData().urls() if event.mimeData().hasUrls() else []
    return [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
