"""A plain text box that stays quick with very long lines, such as a pasted file without a line break."""

from PySide6.QtCore import QMimeData, QSignalBlocker
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QWidget

# Qt looks for the words to break at anew in every shown line, which takes time in the square of the line's length;
# longer lines are broken between any two characters.
LONGEST_LINE_AT_WORDS = 10_000


class LongTextEdit(QPlainTextEdit):
    """Owns the text; lines break at words, or anywhere once one of them is longer than LONGEST_LINE_AT_WORDS."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.textChanged.connect(self._on_typed)

    def setPlainText(self, text: str) -> None:
        """Replace the text."""
        is_short = all(len(line) <= LONGEST_LINE_AT_WORDS for line in text.split("\n"))
        with QSignalBlocker(self):
            # Otherwise what was there would be laid out once more for the new mode.
            self.clear()
        self._break(
            QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere if is_short else QTextOption.WrapMode.WrapAnywhere
        )
        super().setPlainText(text)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text only."""
        if source.hasText():
            text = source.text()
            if self.textCursor().block().length() + max(map(len, text.split("\n"))) > LONGEST_LINE_AT_WORDS:
                self._break(QTextOption.WrapMode.WrapAnywhere)
            self.textCursor().insertText(text)
            self.ensureCursorVisible()

    def _on_typed(self) -> None:
        # A block's length counts its end too.
        if self.textCursor().block().length() - 1 > LONGEST_LINE_AT_WORDS:
            self._break(QTextOption.WrapMode.WrapAnywhere)

    def _break(self, mode: QTextOption.WrapMode) -> None:
        if mode != self.wordWrapMode():
            self.setWordWrapMode(mode)
