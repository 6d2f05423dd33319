"""The main window: the rail, the pages, the status bar; pages other than Chat are built on their first visit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QCloseEvent, QKeySequence
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from .pages.chat import ChatPage
from .pages.status import bind_status
from .theme.metrics import scaled
from .viewmodels.desk import Desk
from .widgets.focus_keeper import FocusKeeper
from .widgets.label import line
from .widgets.page import Page
from .widgets.rail import Rail, RailEntry
from .widgets.shortcut import bind_keys, shortcuts_in, written
from .widgets.status_bar import StatusBar
from .widgets.tab_order import chain_tabs
from .widgets.toast import Toast

if TYPE_CHECKING:
    from quern.models import ModelEntry

    from .pages.models import ModelsPage
    from .pages.settings import SettingsPage
    from .viewmodels.failure import Failure

CHAT, MODELS, MACHINE, SETTINGS = range(4)
FIRST_SIZE = QSize(1160, 760)
SMALLEST_SIZE = QSize(720, 480)


class MainWindow(QMainWindow):
    """Owns the frame around the pages. `desk` outlives it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.setWindowTitle("Quern")
        self._fit()
        self.resize(FIRST_SIZE)
        self.rail = Rail(self._entries())
        self.stack = QStackedWidget()
        self._centre = QWidget()
        self.status_bar = StatusBar()
        self.chat = ChatPage(desk)
        self._builders: dict[int, Callable[[], Page]] = {
            MODELS: self._build_models,
            MACHINE: self._build_machine,
            SETTINGS: self._build_settings,
        }
        self._pages: dict[int, Page] = {CHAT: self.chat}
        self.stack.addWidget(self.chat)
        self._lay_out()
        self.toast = Toast(self._centre)
        self._bind()
        self.show_page(CHAT)

    def page(self, index: int) -> Page:
        """Return page `index`, built now if it was not yet."""
        if index not in self._pages:
            page = self._builders[index]()
            self._pages[index] = page
            self.stack.addWidget(page)
            pages = [self._pages[built] for built in sorted(self._pages)]
            chain_tabs(self.rail, *pages, self.status_bar, self.toast)
        return self._pages[index]

    def show_page(self, index: int) -> Page:
        """Show page `index`, built now if it was not yet; return it."""
        page = self.page(index)
        self.stack.setCurrentWidget(page)
        self.rail.choose(index)
        page.focus_home()
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

    def show_shortcuts(self) -> None:
        """List the keys: the window's own, those of every page, and those of the text boxes."""
        from .dialogs.shortcuts import ShortcutsDialog

        pages = [(entry.title, shortcuts_in(self.page(index))) for index, entry in enumerate(self._entries())]
        own = shortcuts_in(self, Qt.FindChildOption.FindDirectChildrenOnly)
        writing = (self.tr("Writing and reading"), self._text_keys())
        ShortcutsDialog([(self.tr("Everywhere"), own), *pages[:1], writing, *pages[1:]], self).open()

    def _text_keys(self) -> tuple[tuple[str, str], ...]:
        """What the composer and the transcript do with keys that are no shortcuts."""
        return (
            (self.tr("Send the message"), written("Return")),
            (self.tr("Begin a new line"), written("Shift+Return")),
            (self.tr("Stop the reply"), written("Esc")),
            (self.tr("Previous or next message"), f"{written('Ctrl+Up')}, {written('Ctrl+Down')}"),
            (self.tr("Previous or next code block"), f"{written('Ctrl+Shift+Up')}, {written('Ctrl+Shift+Down')}"),
            (self.tr("First or newest line"), f"{written('Ctrl+Home')}, {written('Ctrl+End')}"),
            (self.tr("Caret in the conversation"), written("F7")),
        )

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

    def changeEvent(self, event: QEvent) -> None:
        """Larger text needs a larger window, as far as the screen has room; who comes back may have changed the GPU."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self._desk.is_open and self.isActiveWindow():
            self._desk.gpu.check()
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        line_height = self.fontMetrics().height()
        smallest = QSize(scaled(SMALLEST_SIZE.width(), line_height), scaled(SMALLEST_SIZE.height(), line_height))
        self.setMinimumSize(smallest.boundedTo(self.screen().availableSize()).expandedTo(SMALLEST_SIZE))

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
            bind_keys(self, entry.title, entry.keys, lambda index=index: self.show_page(index))
        bind_keys(self, self.tr("Settings"), "Ctrl+,", lambda: self.show_page(SETTINGS))
        bind_keys(self, self.tr("Undo a deletion"), QKeySequence.StandardKey.Undo, self._desk.deletions.undo)
        bind_keys(self, self.tr("This list"), "F1", self.show_shortcuts)
        bind_keys(self, self.tr("This list"), "Ctrl+/", self.show_shortcuts)
        bind_keys(self, self.tr("Quit"), QKeySequence.StandardKey.Quit, self.close)
        self._desk.deletions.announced.connect(self.toast.offer_undo)
        self._desk.deletions.undone.connect(self.toast.withdraw_undo)
        self._desk.shelf.added.connect(self._say_added)
        self._desk.shelf.library_failed.connect(self._say_library_failed)
        self.toast.undone.connect(self._desk.deletions.undo)
        self.chat.models_requested.connect(lambda: self.show_page(MODELS))
        self.chat.machine_requested.connect(lambda: self.show_page(MACHINE))
        self.chat.settings_requested.connect(self.show_setting)
        self.chat.add_requested.connect(self.ask_for_models)
        self.status_bar.offline_clicked.connect(lambda: self.show_setting("network.offline"))
        self.status_bar.caution_clicked.connect(lambda: self.show_page(MACHINE))
        bind_status(self.status_bar, self._desk)
        FocusKeeper(self, self._current_page)

    def _current_page(self) -> Page:
        page = self.stack.currentWidget()
        return page if isinstance(page, Page) else self.chat

    def _say_library_failed(self, failure: Failure) -> None:
        """Say it on the page where it was asked for, and only there."""
        if self.stack.currentWidget() is self._pages.get(MODELS):
            page: ModelsPage = self.page(MODELS)  # pyright: ignore[reportAssignmentType]
            page.say(failure)
        else:
            self.chat.say(failure)

    def _build_models(self) -> Page:
        from .pages.models import ModelsPage

        page: ModelsPage = ModelsPage(self._desk)
        page.add_requested.connect(self.ask_for_models)
        page.files_dropped.connect(self.add_models)
        page.chat_requested.connect(lambda: self.show_page(CHAT))
        page.machine_requested.connect(lambda: self.show_page(MACHINE))
        return page

    def _build_machine(self) -> Page:
        from .pages.machine import MachinePage

        return MachinePage(self._desk)

    def _build_settings(self) -> Page:
        from .pages.settings import SettingsPage

        return SettingsPage(self._desk)
