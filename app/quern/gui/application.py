"""Runs the window: Qt application, theme, first paint, then everything that takes time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLibraryInfo, QLocale, QObject, Qt, QTimer, QTranslator
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from .collector import MainThreadCollector
from .main_window import MainWindow
from .quit_signal import QuitSignals
from .theme import Theme, current_colors, icon_pixmap, theme_choice
from .viewmodels.desk import Desk

if TYPE_CHECKING:
    from quern.runtime import App
    from quern.settings import Settings

    from .instance import InstanceServer

ICON_SIZES = (16, 32, 64, 128)
# How long a thread that draws may keep the interpreter from the engine thread between two tokens (Python's own: 5 ms).
SWITCH_INTERVAL_S = 0.0005


def _nothing() -> None:
    """Nothing is to be done after the first paint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """How the window is launched.

    `after_first_paint` runs once, when the window is on the screen (the integrator starts the watcher there);
    `on_window` is given the window as soon as it accepts typing; `on_end` runs when the window was closed, before
    signals can end the process again (the watcher is told there). `was_restored` says that the last one crashed.
    """

    arguments: tuple[str, ...] = ("quern",)
    after_first_paint: Callable[[], None] = _nothing
    on_window: Callable[[MainWindow], None] | None = None
    on_end: Callable[[], None] = _nothing
    was_restored: bool = False


def run(app: App, options: LaunchOptions) -> int:
    """Show the window on `app` (opened, its storage not yet) and run until it is closed; return the exit status.

    `app` itself is closed by the caller.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    application = qt_application(options.arguments)
    collector = MainThreadCollector(application)
    theme = Theme(application)
    desk = Desk(app)
    follow_appearance(theme, desk)
    window = MainWindow(desk)
    launch = _Launch(app, window, desk, options)
    status = application.exec()
    options.on_end()
    launch.end()
    desk.close()
    window.deleteLater()
    collector.stop()
    return status


class _Launch(QObject):
    """Owns the order of a launch: the window is shown and painted first, everything else follows."""

    def __init__(self, app: App, window: MainWindow, desk: Desk, options: LaunchOptions) -> None:
        super().__init__(window)
        self._app = app
        self._window = window
        self._desk = desk
        self._options = options
        self._server: InstanceServer | None = None
        self._signals = QuitSignals(self)
        self._signals.asked.connect(window.close)
        window.installEventFilter(self)
        window.show()
        if options.was_restored:
            window.chat.say_crashed()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wait for the first paint."""
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            QTimer.singleShot(0, self, self._follow)
        return super().eventFilter(watched, event)

    def end(self) -> None:
        """Stop answering to signals and other starts."""
        self._signals.close()
        if self._server is not None:
            self._server.close()

    def _follow(self) -> None:
        if self._options.on_window is not None:
            self._options.on_window(self._window)
        self._options.after_first_paint()
        self._desk.start()
        self._desk.meter.start()
        self._answer_other_starts()
        drawn = QIcon()
        for size in ICON_SIZES:
            drawn.addPixmap(icon_pixmap("quern", current_colors().accent, size))
        self._window.setWindowIcon(drawn)

    def _answer_other_starts(self) -> None:
        from .instance import InstanceServer

        self._server = InstanceServer(self._app.home, self)
        self._server.raise_requested.connect(self._window.come_to_front)
        self._server.listen()


def qt_application(arguments: tuple[str, ...]) -> QApplication:
    """Return the process's Qt application, named and translated."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    QApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    application = QApplication(list(arguments))
    application.setApplicationName("quern")
    application.setApplicationDisplayName("Quern")
    application.setDesktopFileName("quern")
    _translate(application)
    return application


def follow_appearance(theme: Theme, desk: Desk) -> None:
    """Keep `theme` as the settings want it."""

    def apply(settings: Settings) -> None:
        theme.choose(theme_choice(settings.theme), settings.text_scale)

    def change(older: Settings, newer: Settings) -> None:
        if (older.theme, older.text_scale) != (newer.theme, newer.text_scale):
            apply(newer)

    apply(desk.preferences.current)
    desk.preferences.changed.connect(change)


def _translate(application: QApplication) -> None:
    """Load Qt's own words (dialog buttons, context menus) in the system's language, where Qt brings them."""
    translator = QTranslator(application)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if QLocale().language() != QLocale.Language.English and translator.load(QLocale(), "qtbase", "_", folder):
        application.installTranslator(translator)
