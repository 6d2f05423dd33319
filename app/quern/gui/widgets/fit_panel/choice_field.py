"""A choice of few: its title, the list, and a note on what the choice costs."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from quern.gui.theme import GRID
from quern.gui.widgets.label import text_label
from quern.gui.widgets.setting_editor import ChoiceBox


class ChoiceField(QWidget):
    """Owns the list; `changed` carries the key that a person chose."""

    changed = Signal(str)

    def __init__(self, title: str, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = text_label(title)
        self.title.setToolTip(sentence)
        self.list = ChoiceBox()
        self.list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.list.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.list.setAccessibleName(title)
        self.list.setAccessibleDescription(sentence)
        self.list.setToolTip(sentence)
        self.title.setBuddy(self.list)
        self.note = text_label(look="small", wraps=True)
        self.list.currentIndexChanged.connect(self._tell)
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        head.addWidget(self.title)
        head.addWidget(self.list, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addLayout(head)
        layout.addWidget(self.note)

    def show_choices(self, choices: Sequence[tuple[str, str]], key: str) -> None:
        """Offer `choices` as (key, name), and show `key` as chosen; says nothing."""
        with QSignalBlocker(self.list):
            shown = [(self.list.itemData(index), self.list.itemText(index)) for index in range(self.list.count())]
            if shown != list(choices):
                self.list.clear()
                for choice, name in choices:
                    self.list.addItem(name, choice)
            self.list.setCurrentIndex(self.list.findData(key))

    def say(self, note: str) -> None:
        """Explain the choice shown."""
        self.note.setText(note)

    def _tell(self) -> None:
        self.changed.emit(str(self.list.currentData()))
