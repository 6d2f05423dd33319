"""Asks before a link is opened, and shows where it really leads."""

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from quern.gui.theme import GRID, MARGIN
from quern.gui.widgets.label import text_label

OPENED_SCHEMES = ("http", "https", "mailto")


def is_openable(address: str) -> bool:
    """Whether links of this kind are opened at all; file, javascript, smb and the rest never are (UI-03)."""
    url = QUrl(address, QUrl.ParsingMode.StrictMode)
    return url.isValid() and url.scheme().lower() in OPENED_SCHEMES


class LinkDialog(QDialog):
    """Shows the whole address of a link, its host first; accepted means: open it."""

    def __init__(self, address: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Open this link?"))
        url = QUrl(address, QUrl.ParsingMode.StrictMode)
        # Punycode shows letters of other scripts that look like Latin ones for what they are.
        host = url.host(QUrl.ComponentFormattingOption.FullyEncoded) or url.path()
        encoded = bytes(url.toEncoded().data()).decode("ascii", "replace")
        self.address = QPlainTextEdit(encoded)
        self.address.setReadOnly(True)
        self.address.setAccessibleName(self.tr("Address"))
        self.address.setFixedHeight(4 * self.address.fontMetrics().lineSpacing() + 2 * GRID)
        buttons = QDialogButtonBox(self)
        self.open_button = buttons.addButton(self.tr("Open in browser"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.cancel_button = buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.cancel_button.setDefault(True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        layout.setSpacing(GRID)
        layout.addWidget(text_label(self.tr("This link leads to"), "muted"))
        layout.addWidget(text_label(host, "heading", wraps=True))
        layout.addWidget(self.address)
        layout.addSpacing(GRID)
        layout.addWidget(buttons)
        self.setMinimumWidth(56 * GRID)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.accepted.connect(lambda: QDesktopServices.openUrl(url))
