"""How far a long action is, in a bar and in words, and the button that stops it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from quern.gui.theme import GRID

from .label import text_label


class ProgressRow(QWidget):
    """Owns bar, words and Cancel; `cancelled` when it is pressed."""

    cancelled = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(name)
        self.label = text_label(name, "small")
        self.cancel_button = QPushButton(self.tr("Cancel"))
        self.cancel_button.clicked.connect(self.cancelled)
        words = QVBoxLayout()
        words.setSpacing(GRID // 2)
        words.addWidget(self.bar)
        words.addWidget(self.label)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * GRID)
        layout.addLayout(words, 1)
        layout.addWidget(self.cancel_button)
        self.setMinimumWidth(36 * GRID)

    def show_progress(self, fraction: float | None, words: str) -> None:
        """Show the share done (None: unknown) and what it means in words."""
        self.bar.setRange(0, 0 if fraction is None else 1000)
        self.bar.setValue(round(1000 * (fraction or 0.0)))
        self.label.setText(words)
