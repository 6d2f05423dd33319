"""The window as `quern` opens it, for the tests and benchmarks that look at its start."""

import sys
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

from quern.base import Home
from quern.gui.application import LaunchOptions, run
from quern.gui.main_window import MainWindow
from quern.models import library
from quern.runtime import App


def run_until_typing(typed: Callable[[QWidget], None]) -> None:
    """Open the window on an empty data folder and call `typed` with the composer's text box once it takes keys."""

    def with_window(window: MainWindow) -> None:
        typed(window.chat.column.composer.edit)

    app = App.open(Home.locate(), "window")
    run(app, LaunchOptions(on_window=with_window))
    app.close()


def open_idle_window() -> None:
    """Open the window where there is no model to load, let it come to rest, and close it."""
    library.starter_path = lambda: None

    def with_window(window: MainWindow) -> None:
        QTimer.singleShot(700, window.close)

    app = App.open(Home.locate(), "window")
    run(app, LaunchOptions(on_window=with_window))
    app.close()
    assert isinstance(QApplication.instance(), QApplication), sys.argv
