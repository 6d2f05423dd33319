"""One setting on the Settings page: its title, its sentence, its control and the way back to the default."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from quern.gui.theme import GRID
from quern.gui.theme.metrics import scaled
from quern.settings import Kind, SettingValue

from .icon_button import IconButton
from .label import text_label
from .setting_editor import AnySetting, SettingEditor

EDITOR_WIDTH = 30 * GRID


class SettingRow(QWidget):
    """Owns one row; `reset` asks to forget what was chosen."""

    reset = Signal()

    def __init__(self, setting: AnySetting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = setting
        self.searched_text = " ".join((setting.key, setting.title, setting.sentence, setting.unit)).casefold()
        self.editor = SettingEditor(setting)
        self.reset_button = IconButton("undo", self.tr("Reset “{0}”").format(setting.title), size=16)
        self.reset_button.clicked.connect(self.reset)
        self._note = text_label(look="small", wraps=True)
        self._note.hide()
        title = text_label(setting.title, "section")
        sentence = text_label(self._explained(), "muted", wraps=True)
        title.setBuddy(self.editor.control)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(title)
        words.addWidget(sentence)
        words.addWidget(self._note)
        if setting.kind is Kind.TEXT:
            layout = QVBoxLayout(self)
            head = QHBoxLayout()
            head.addLayout(words, 1)
            head.addWidget(self.reset_button, 0, Qt.AlignmentFlag.AlignTop)
            layout.addLayout(head)
            layout.addWidget(self.editor)
        else:
            layout = QHBoxLayout(self)
            layout.addLayout(words, 1)
            layout.addSpacing(2 * GRID)
            layout.addWidget(self.reset_button, 0, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(self.editor, 0, Qt.AlignmentFlag.AlignTop)
            if setting.kind is Kind.TOGGLE:
                self.editor.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            else:
                self._fit()
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        policy = self.reset_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset_button.setSizePolicy(policy)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.setting.kind not in (Kind.TEXT, Kind.TOGGLE):
            self._fit()

    def _fit(self) -> None:
        self.editor.setFixedWidth(scaled(EDITOR_WIDTH, self.fontMetrics().height()))

    def _explained(self) -> str:
        """The setting's sentence, and what "automatic" means."""
        special = self.setting.special
        parts = [self.setting.sentence]
        if special is not None:
            parts.append(self.tr("Automatic: {0}.").format(special.meaning))
        return " ".join(parts)

    def show_value(self, value: SettingValue, *, is_chosen: bool) -> None:
        """Show `value`; it can be reset where a person chose it."""
        self.editor.show_value(value)
        self.reset_button.setVisible(is_chosen)

    def show_forced(self, value: SettingValue, note: str) -> None:
        """Show `value`, which cannot be changed here, and `note`, which says why."""
        self.editor.show_value(value)
        self.editor.setEnabled(False)
        self.editor.control.setAccessibleDescription(f"{self.setting.sentence} {note}")
        self.reset_button.hide()
        self._note.setText(note)
        self._note.show()
