"""A banner over a page: what happened, what to do next, and the buttons that do it."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from quern.gui.theme import GRID

from .icon_button import IconButton
from .label import Mark, relook, text_label


class Tone(StrEnum):
    """How serious a banner is."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class BannerText:
    """What a banner says; `actions` are (key, button text), the first one being the likeliest."""

    tone: Tone
    what: str
    next_step: str = ""
    actions: tuple[tuple[str, str], ...] = ()


_MARKS = {
    Tone.ERROR: ("error", "danger"),
    Tone.WARNING: ("warning", "warning"),
    Tone.INFO: ("info", "accent"),
}


class Banner(QFrame):
    """Owns one banner, hidden until told what to say; `acted` carries the key of the button that was pressed."""

    acted = Signal(str)
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = Mark("info", "accent")
        self._what = text_label(look="section", wraps=True)
        self._next_step = text_label(wraps=True)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(GRID)
        self._buttons.addStretch(1)
        self._close = IconButton("close", self.tr("Dismiss"), size=16)
        self._close.clicked.connect(self.dismiss)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._what)
        words.addWidget(self._next_step)
        words.addLayout(self._buttons)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID + 2, GRID, GRID + 2)
        layout.setSpacing(GRID + 4)
        layout.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)
        layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def say(self, text: BannerText) -> None:
        """Show `text` in place of what was shown."""
        relook(self, f"banner-{text.tone}")
        self._mark.show_icon(*_MARKS[text.tone])
        self._what.setText(text.what)
        self._next_step.setText(text.next_step)
        self._next_step.setVisible(bool(text.next_step))
        self._show_actions(text.actions)
        self.setAccessibleName(text.what)
        self.setAccessibleDescription(text.next_step)
        self.show()

    def dismiss(self) -> None:
        """Hide the banner and tell so."""
        self.hide()
        self.dismissed.emit()

    def buttons(self) -> tuple[QPushButton, ...]:
        """The action buttons, in order."""
        items = (self._buttons.itemAt(index) for index in range(self._buttons.count()))
        return tuple(w for item in items if item is not None and isinstance(w := item.widget(), QPushButton))

    def _show_actions(self, actions: tuple[tuple[str, str], ...]) -> None:
        for button in self.buttons():
            self._buttons.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons.setContentsMargins(0, GRID if actions else 0, 0, 0)
        for key, title in actions:
            button = QPushButton(title)
            button.clicked.connect(lambda _checked=False, key=key: self.acted.emit(key))
            before = self._close.previousInFocusChain()
            self._buttons.insertWidget(self._buttons.count() - 1, button)
            if before is not None:
                # Tab reaches it before the button that closes the banner, not after everything else in the window.
                QWidget.setTabOrder(before, button)
                QWidget.setTabOrder(button, self._close)
