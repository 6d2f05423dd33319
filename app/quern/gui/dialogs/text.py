"""Shows a long text that can be read, searched by the eye and copied, such as a model's chat template."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from quern.gui.theme import GRID, MARGIN
from quern.gui.widgets.label import text_label


class TextDialog(QDialog):
    """Owns a read-only text box and a Copy button."""

    def __init__(self, title: str, sentence: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.box = QPlainTextEdit(text)
        self.box.setReadOnly(True)
        self.box.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.box.setAccessibleName(title)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.copy_button = buttons.addButton(self.tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        layout.setSpacing(GRID)
        layout.addWidget(text_label(title, "heading"))
        layout.addWidget(text_label(sentence, "muted", wraps=True))
        layout.addWidget(self.box, 1)
        layout.addWidget(buttons)
        self.resize(90 * GRID, 70 * GRID)
