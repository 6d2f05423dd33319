"""Where a scene is played: a window on a stand-in app with a few chats in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from quern.chat import ConversationStore
from quern.gui.main_window import MainWindow
from quern.gui.viewmodels.desk import Desk
from tests.gui.stand_in import StandInApp

if TYPE_CHECKING:
    from .scene import Scene

TIMEOUT_S = 10.0
SETTLE_S = 0.35


class Stage:
    """Owns app, desk and window of one scene; a context manager."""

    def __init__(self, folder: Path, scene: Scene) -> None:
        self.app = StandInApp(folder, scene.entries)
        self.app.before_open = self._fill
        self._scene = scene
        self.desk = Desk(self.app.as_app)
        self.window = MainWindow(self.desk)
        self.window.resize(*scene.size)

    def __enter__(self) -> Stage:
        self.window.show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for widget in QApplication.topLevelWidgets():
            widget.close()
        self.app.script.go_on.set()
        self.app.residency.hold.set()
        self.desk.close()
        self.app.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def open(self) -> None:
        """Open storage and wait until the window is filled and, where there is a model, it is loaded."""
        self.desk.start()
        self.desk.meter.measure()
        self.until(lambda: self.desk.shelf.is_read)
        if self._scene.entries is None and self.app.residency.hold.is_set():
            self.until(lambda: self.desk.shelf.resident is not None and not self.desk.shelf.is_loading)
        self.settle()

    def until(self, holds: Callable[[], bool]) -> None:
        """Run the window until `holds`."""
        end = time.monotonic() + TIMEOUT_S
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError(self._scene.name)
            QApplication.processEvents()
            time.sleep(0.005)

    def settle(self) -> None:
        """Run the window until counts and layouts have settled."""
        end = time.monotonic() + SETTLE_S
        while time.monotonic() < end:
            QApplication.processEvents()
            time.sleep(0.01)

    def say(self, text: str) -> None:
        """Write `text` and send it."""
        edit = self.window.chat.column.composer.edit
        edit.setPlainText(text)
        edit.submitted.emit()

    def _fill(self, store: ConversationStore) -> None:
        self._scene.fill(store)
