"""The main window: the rail, the pages, the status bar; pages other than Chat are built on their first visit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from .pages.chat import ChatPage
from .pages.status import bind_status
from .viewmodels.desk import Desk
from .widgets.label import line
from .widgets.rail import Rail, RailEntry
from .widgets.status_bar import StatusBar
from .widgets.toast import Toast

if TYPE_CHECKING:
    from quern.models import ModelEntry

    from .pages.models import ModelsPage
    from .pages.settings import SettingsPage

CHAT, MODELS, MACHINE, SETTINGS = range(4)
FIRST_SIZE = QSize(1160, 760)
SMALLEST_SIZE = QSize(720, 480)


class MainWindow(QMainWindow):
    """Owns the frame around the pages. `desk` outlives it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.setWindowTitle("Quern")
        self.setMinimumSize(SMALLEST_SIZE)
        self.resize(FIRST_SIZE)
        self.rail = Rail(self._entries())
        self.stack = QStackedWidget()
        self._centre = QWidget()
        self.status_bar = StatusBar()
        self.chat = ChatPage(desk)
        self._builders: dict[int, Callable[[], QWidget]] = {
            MODELS: self._build_models,
            MACHINE: self._build_machine,
            SETTINGS: self._build_settings,
        }
        self._pages: dict[int, QWidget] = {CHAT: self.chat}
        self.stack.addWidget(self.chat)
        self._lay_out()
        self.toast = Toast(self._centre)
        self._bind()
        self.show_page(CHAT)

    def show_page(self, index: int) -> QWidget:
        """Show page `index`, built now if it was not yet; return it."""
        if index not in self._pages:
            page = self._builders[index]()
            self._pages[index] = page
            self.stack.addWidget(page)
        page = self._pages[index]
        self.stack.setCurrentWidget(page)
        self.rail.choose(index)
        page.setFocus()
        return page

    def come_to_front(self) -> None:
        """Show the window above others, also where it was minimised."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def show_setting(self, key: str) -> None:
        """Show the Settings page at the setting `key`."""
        page: SettingsPage = self.show_page(SETTINGS)  # pyright: ignore[reportAssignmentType]
        page.show_setting(key)

    def add_models(self, paths: list[Path]) -> None:
        """Put model files into the library."""
        for path in paths:
            self._desk.shelf.add(path)

    def ask_for_models(self) -> None:
        """Let the person choose model files to add."""
        dialog = QFileDialog(self, self.tr("Add model files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilters([self.tr("Models (*.gguf)"), self.tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self._add_files)
        dialog.open()

    def _add_files(self, files: list[str]) -> None:
        self.add_models([Path(file) for file in files])

    def _say_added(self, entry: ModelEntry) -> None:
        self.toast.say(self.tr("{0} added").format(entry.name))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the draft."""
        self._desk.drafts.flush()
        super().closeEvent(event)

    def _entries(self) -> tuple[RailEntry, ...]:
        return (
            RailEntry("chat", self.tr("Chat"), "Ctrl+1"),
            RailEntry("models", self.tr("Models"), "Ctrl+2"),
            RailEntry("machine", self.tr("Machine"), "Ctrl+3"),
            RailEntry("settings", self.tr("Settings"), "Ctrl+4"),
        )

    def _lay_out(self) -> None:
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addWidget(line("column-line"))
        middle.addWidget(self.stack, 1)
        layout = QVBoxLayout(self._centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(middle, 1)
        layout.addWidget(line())
        layout.addWidget(self.status_bar)
        self.setCentralWidget(self._centre)

    def _bind(self) -> None:
        self.rail.chosen.connect(self.show_page)
        for index, entry in enumerate(self._entries()):
            self._shortcut(QKeySequence(entry.keys), lambda index=index: self.show_page(index))
        self._shortcut(QKeySequence(QKeySequence.StandardKey.Undo), self._desk.deletions.undo)
        self._shortcut(QKeySequence(QKeySequence.StandardKey.Quit), self.close)
        self._shortcut(QKeySequence("Ctrl+,"), lambda: self.show_page(SETTINGS))
        self._desk.deletions.announced.connect(self.toast.offer_undo)
        self._desk.shelf.added.connect(self._say_added)
        self.toast.undone.connect(self._desk.deletions.undo)
        self.chat.models_requested.connect(lambda: self.show_page(MODELS))
        self.chat.settings_requested.connect(self.show_setting)
        self.chat.add_requested.connect(self.ask_for_models)
        self.status_bar.offline_clicked.connect(lambda: self.show_setting("network.offline"))
        bind_status(self.status_bar, self._desk)

    def _shortcut(self, keys: QKeySequence, act: Callable[[], object]) -> None:
        shortcut = QShortcut(keys, self)
        shortcut.activated.connect(act)

    def _build_models(self) -> QWidget:
        from .pages.models import ModelsPage

        page: ModelsPage = ModelsPage(self._desk)
        page.add_requested.connect(self.ask_for_models)
        page.files_dropped.connect(self.add_models)
        page.chat_requested.connect(lambda: self.show_page(CHAT))
        return page

    def _build_machine(self) -> QWidget:
        from .pages.machine import MachinePage

        return MachinePage(self._desk)

    def _build_settings(self) -> QWidget:
        from .pages.settings import SettingsPage

        return SettingsPage(self._desk)
