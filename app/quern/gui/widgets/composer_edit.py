"""The text box one writes messages in: grows with its text, Enter sends, Shift+Enter breaks the line."""

from math import ceil

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from .long_text_edit import LongTextEdit

MAX_LINES = 8
_SENDING_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_BREAKING = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier


class ComposerEdit(LongTextEdit):
    """Owns the text. `submitted` on Enter, `escaped` on Esc; 1 to 8 lines high, then it scrolls."""

    submitted = Signal()
    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "bare")
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCenterOnScroll(False)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    @property
    def n_lines(self) -> int:
        """Lines as they are shown, wrapped ones counted."""
        return max(1, ceil(self.document().size().height()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that mean something here."""
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() not in _SENDING_KEYS:
            super().keyPressEvent(event)
        elif event.modifiers() & _BREAKING:
            self.textCursor().insertText("\n")
            self.ensureCursorVisible()
        elif not event.isAutoRepeat():
            self.submitted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit what is shown into the new size."""
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        """The size that its content needs."""
        return QSize(320, self._height_for(min(self.n_lines, MAX_LINES)))

    def _fit(self) -> None:
        lines = self.n_lines
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines > MAX_LINES else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        height = self._height_for(min(lines, MAX_LINES))
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)

    def _height_for(self, lines: int) -> int:
        return lines * self.fontMetrics().lineSpacing() + 2 * self.frameWidth() + 4
