"""What every page of the window has: a place where the keyboard focus is at home."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from .tab_order import takes_tab


class Page(QWidget):
    """Owns its home: what has the focus when the page is shown, and when a control that had it is gone.

    This is no focus proxy: Tab would then skip everything on the page that lies before it (Qt 6.11).
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._home: QWidget = self

    @property
    def home(self) -> QWidget:
        """What has the focus first."""
        return self._home

    def settle(self, home: QWidget) -> None:
        """Make `home` the page's home."""
        self._home = home

    def focus_home(self) -> None:
        """Give the focus to the page's home, or where that cannot take it, to the first control that can."""
        for widget in (self._home, *self.findChildren(QWidget)):
            if widget.isVisibleTo(self) and takes_tab(widget):
                widget.setFocus(Qt.FocusReason.OtherFocusReason)
                return
