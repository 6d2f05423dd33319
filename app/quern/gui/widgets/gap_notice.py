"""Something that is there and not used: what it is, what to do about it, and the command to copy."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from quern.gui.theme import GRID

from .banner import Tone
from .icon_button import IconButton
from .label import Mark, text_label

_MARKS = {Tone.WARNING: ("warning", "warning"), Tone.INFO: ("info", "accent"), Tone.ERROR: ("error", "danger")}


class GapNotice(QFrame):
    """Owns one notice; without a command there is no button."""

    def __init__(self, tone: Tone, sentence: str, advice: str, command: str | None) -> None:
        super().__init__()
        self.setProperty("look", f"banner-{tone}")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(sentence)
        self.setAccessibleDescription(advice)
        self.copy_button: IconButton | None = None
        words = QVBoxLayout()
        words.setSpacing(GRID // 2)
        words.addWidget(_selectable(text_label(sentence, "section", wraps=True)))
        words.addWidget(_selectable(text_label(advice, wraps=True)))
        if command is not None:
            words.addSpacing(GRID // 2)
            words.addWidget(self._command_box(command))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID + 4, 2 * GRID, GRID + 4)
        layout.setSpacing(GRID + 4)
        layout.addWidget(Mark(*_MARKS[tone]), 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)

    def _command_box(self, command: str) -> QWidget:
        box = QFrame()
        box.setProperty("look", "card")
        box.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        # A command is read from left to right in every language.
        box.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        words = _selectable(text_label(command, wraps=True))
        words.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)
        words.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.copy_button = IconButton("copy", self.tr("Copy the command"))
        self.copy_button.clicked.connect(lambda: self._copy(command))
        row = QHBoxLayout(box)
        row.setContentsMargins(GRID + 4, GRID // 2, GRID // 2, GRID // 2)
        row.setSpacing(GRID)
        row.addWidget(words, 1)
        row.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignVCenter)
        return box

    def _copy(self, command: str) -> None:
        QGuiApplication.clipboard().setText(command)
        if self.copy_button is not None:
            self.copy_button.say(self.tr("The command is on the clipboard"))


def _selectable(label: QLabel) -> QLabel:
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
