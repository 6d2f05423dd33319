"""Keeps the keyboard focus on its page when the control that holds it is disabled or hidden."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from .page import Page


class FocusKeeper(QObject):
    """Owns the watch over one window. Qt hands the focus to whatever is next in the chain, perhaps on no page at all;
    this one gives it to the home of `page()`."""

    def __init__(self, window: QWidget, page: Callable[[], Page]) -> None:
        super().__init__(window)
        self._window = window
        self._page = page
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow)

    def _follow(self, old: QWidget | None, new: QWidget | None) -> None:
        # While a window is destroyed, its controls lose the focus one by one.
        if not isValid(self._window) or old is None or not isValid(old):
            return
        if old is self._window or not self._window.isAncestorOf(old) or not self._window.isVisible():
            return
        if not old.isEnabled() or not old.isVisible():
            QTimer.singleShot(0, self, lambda: self._hand_over(new))

    def _hand_over(self, given: QWidget | None) -> None:
        """Unless somebody decided in the meantime where the focus goes, decide it."""
        focus = QApplication.focusWidget()
        if focus is not None and focus is not given:
            return
        self._page().focus_home()
