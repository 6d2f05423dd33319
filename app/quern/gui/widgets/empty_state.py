"""A page that has nothing to show yet: what is missing, in words, and the buttons that bring it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from quern.gui.theme import GRID

from .label import Mark, text_label

TEXT_WIDTH = 52 * GRID


class EmptyState(QWidget):
    """Owns an icon, a title, a sentence and buttons, in the middle of what is free."""

    def __init__(self, icon_name: str, title: str, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = text_label(title, "title", wraps=True)
        self.sentence = text_label(sentence, "muted", wraps=True)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(GRID)
        self._extra = QVBoxLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 3 * GRID)
        layout.setSpacing(GRID)
        layout.addStretch(2)
        layout.addWidget(Mark(icon_name, "accent", 6 * GRID), 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(GRID)
        for label in (self.title, self.sentence):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setFixedWidth(TEXT_WIDTH)
            layout.addWidget(label, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(2 * GRID)
        layout.addLayout(self._buttons)
        layout.addLayout(self._extra)
        layout.addStretch(3)

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the texts."""
        super().showEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette and the font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        """Give the texts the height that they need: a layout that centres them does not ask."""
        for label in (self.title, self.sentence):
            label.setFixedHeight(label.heightForWidth(TEXT_WIDTH))

    def show_buttons(self, buttons: Sequence[QPushButton]) -> None:
        """Put `buttons` side by side under the sentence."""
        self._buttons.addStretch(1)
        for button in buttons:
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)

    def add_below(self, widget: QWidget) -> None:
        """Put `widget` under the buttons."""
        self._extra.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
