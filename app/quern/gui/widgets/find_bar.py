"""Find in the shown chat: a field and two arrows; Esc closes it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from quern.gui.theme import GRID

from .icon_button import IconButton
from .label import relook, text_label
from .transcript import FindDirection


class FindBar(QFrame):
    """Owns the field; `find_requested` carries (text, FindDirection), `closed` when it was put away."""

    find_requested = Signal(str, object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Find in this chat"))
        self.field.setAccessibleName(self.tr("Find in this chat"))
        self.result = text_label(look="small")
        self.previous_button = IconButton("chevron-left", self.tr("Previous match"), size=16)
        self.next_button = IconButton("chevron-right", self.tr("Next match"), size=16)
        self.close_button = IconButton("close", self.tr("Close"), size=16)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 0, GRID, GRID)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.field, 1)
        layout.addWidget(self.result)
        for button in (self.previous_button, self.next_button, self.close_button):
            layout.addWidget(button)
        self.previous_button.bind(QKeySequence.StandardKey.FindPrevious)
        self.next_button.bind(QKeySequence.StandardKey.FindNext)
        self.previous_button.clicked.connect(lambda: self._ask(FindDirection.BACKWARD))
        self.next_button.clicked.connect(lambda: self._ask(FindDirection.FORWARD))
        self.field.returnPressed.connect(lambda: self._ask(FindDirection.FORWARD))
        self.close_button.clicked.connect(self.close_bar)
        self.hide()

    def open_bar(self) -> None:
        """Show the bar and select what it holds."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def close_bar(self) -> None:
        """Put the bar away."""
        self.hide()
        self.show_found(was_found=True)
        self.closed.emit()

    def show_found(self, *, was_found: bool) -> None:
        """Say so where nothing was found."""
        relook(self.result, "small" if was_found else "small-danger")
        self.result.setText("" if was_found else self.tr("Not found"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that mean something here."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)

    def _ask(self, direction: FindDirection) -> None:
        if self.field.text():
            self.find_requested.emit(self.field.text(), direction)
