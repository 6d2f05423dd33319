"""What the window's tests share: a stand-in app, a desk on it, and a window."""

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from quern.gui.main_window import MainWindow
from quern.gui.theme import Theme, ThemeChoice
from quern.gui.viewmodels.desk import Desk

from .stand_in import StandInApp

# The offscreen platform says so about every window with a smallest size, and about every tool tip.
OFFSCREEN_NOISE = "This plugin does not support (propagateSizeHints|raise)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the offscreen platform say what it always says."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore(OFFSCREEN_NOISE, extend=True))


@dataclass
class Place:
    """A desk and, where a test asks for one, its window."""

    app: StandInApp
    desk: Desk
    qtbot: QtBot
    window: MainWindow | None = None

    def open(self) -> None:
        """Open storage and wait until the library is read and a usable model loaded."""
        self.desk.start()
        self.qtbot.waitUntil(lambda: self.desk.shelf.is_read)
        if self.desk.shelf.usable and self.app.residency.hold.is_set() and self.app.residency.error is None:
            self.qtbot.waitUntil(lambda: self.desk.shelf.resident is not None and not self.desk.shelf.is_loading)

    def say(self, text: str) -> None:
        """Send `text` and wait for the whole reply."""
        before = len(self.desk.chat.messages)
        self.desk.outbox.send(text)
        self.qtbot.waitUntil(lambda: len(self.desk.chat.messages) > before and not self.desk.outbox.is_running)

    def begin(self, text: str) -> None:
        """Send `text` and wait until the reply is being written."""
        self.app.script.go_on.clear()
        self.desk.outbox.send(text)
        self.qtbot.waitUntil(lambda: self.desk.chat.is_running and self.desk.feed.live(self.desk.chat.id) is not None)
        self.qtbot.waitUntil(lambda: bool(self.desk.chat.messages) and self.desk.chat.messages[-1].role == "assistant")

    @property
    def shown(self) -> MainWindow:
        """The window."""
        assert self.window is not None
        return self.window


@pytest.fixture(autouse=True)
def collection_in_the_main_thread() -> Iterator[None]:
    """Collect cycles here, as the window does (quern.gui.collector): never in a test's other threads."""
    gc.disable()
    yield
    gc.collect()


@pytest.fixture
def app(own_home: Path) -> Iterator[StandInApp]:
    """A stand-in app with the starter model."""
    stand_in = StandInApp(own_home)
    yield stand_in
    stand_in.close()


@pytest.fixture
def place(app: StandInApp, qtbot: QtBot, qapp: QApplication) -> Iterator[Place]:
    """A desk that is not opened yet, without a window."""
    del qapp
    desk = Desk(app.as_app)
    yield Place(app, desk, qtbot)
    app.script.go_on.set()
    app.residency.hold.set()
    desk.close()


@pytest.fixture
def window(place: Place, qapp: QApplication) -> Iterator[Place]:
    """A desk, not opened yet, under a window that is shown."""
    theme = Theme(qapp)
    theme.choose(ThemeChoice.LIGHT, 1.0)
    place.window = MainWindow(place.desk)
    place.window.show()
    place.window.activateWindow()
    yield place
    for widget in QApplication.topLevelWidgets():
        widget.close()
    place.window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
