"""A short message over the bottom of the window that can be undone."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from quern.gui.theme import GRID

from .label import text_label

SHOWN_MS = 8000


class Toast(QFrame):
    """Owns the one toast of a window: shows a sentence and an Undo button for a while; `undone` when it is pressed.

    It stays while the pointer or the keyboard focus is on it.
    """

    undone = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.setProperty("look", "toast")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._label: QLabel = text_label()
        self.undo_button = QPushButton(self.tr("Undo"))
        self.undo_button.setToolTip(self.tr("Undo (Ctrl+Z)"))
        self.undo_button.clicked.connect(self._undo)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, GRID, GRID)
        layout.addWidget(self._label)
        layout.addWidget(self.undo_button)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._hide_if_unattended)
        parent.installEventFilter(self)
        self.hide()

    def say(self, text: str) -> None:
        """Show `text` for a few seconds."""
        self.undo_button.hide()
        self._show(text)

    def offer_undo(self, text: str) -> None:
        """Show `text` for a few seconds with an Undo button."""
        self.undo_button.show()
        self._show(text)

    def withdraw_undo(self) -> None:
        """It was undone by other means: hide the offer. A plain message stays."""
        if not self.undo_button.isHidden():
            self.hide()

    def _show(self, text: str) -> None:
        self._label.setText(text)
        self.setAccessibleName(text)
        self._place()
        self.show()
        self.raise_()
        self._timer.start(SHOWN_MS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the watched widget."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        self.adjustSize()
        parent = self._parent
        x = (parent.width() - self.width()) // 2
        self.move(max(GRID, x), parent.height() - self.height() - 17 * GRID)

    def _undo(self) -> None:
        self.hide()
        self.undone.emit()

    def _hide_if_unattended(self) -> None:
        if self.underMouse() or self.undo_button.hasFocus():
            self._timer.start(SHOWN_MS)
        else:
            self.hide()
