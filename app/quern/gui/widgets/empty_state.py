"""A page that has nothing to show yet: what is missing, in words, and the buttons that bring it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from quern.gui.theme import GRID
from quern.gui.theme.metrics import scaled

from .label import Mark, text_label

TEXT_WIDTH = 52 * GRID
_STRETCH = 1000


class EmptyState(QWidget):
    """Owns an icon, a title, a sentence and buttons, in the middle of what is free, as narrow as that may be."""

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
            layout.addLayout(_centred(label))
        layout.addSpacing(2 * GRID)
        layout.addLayout(self._buttons)
        layout.addLayout(self._extra)
        layout.addStretch(3)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit what is shown."""
        super().showEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit what is shown into the new size."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        """Lines of text stay as long as they read well; buttons that do not fit side by side stand on each other."""
        for label in (self.title, self.sentence):
            label.setMaximumWidth(scaled(TEXT_WIDTH, self.fontMetrics().height()))
        items = (self._buttons.itemAt(index) for index in range(self._buttons.count()))
        widths = [
            w.sizeHint().width() + GRID for item in items if item is not None and (w := item.widget()) is not None
        ]
        is_wide = sum(widths) <= self.width() - 6 * GRID
        self._buttons.setDirection(QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom)

    def show_buttons(self, buttons: Sequence[QPushButton]) -> None:
        """Put `buttons` side by side under the sentence."""
        self._buttons.addStretch(1)
        for button in buttons:
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)
        self._fit()

    def add_below(self, widget: QWidget) -> None:
        """Put `widget` under the buttons."""
        self._extra.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)


def _centred(label: QLabel) -> QHBoxLayout:
    """Return a row in whose middle `label` takes what it may; by alignment alone it would not get its height."""
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(label, _STRETCH)
    row.addStretch(1)
    return row
