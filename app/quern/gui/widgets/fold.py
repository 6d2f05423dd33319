"""A heading that shows or hides what stands under it."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget

from quern.gui.theme import GRID, current_colors, icon
from quern.gui.theme.metrics import ICON_SMALL


class Fold(QWidget):
    """Owns heading and content; `folded` when a person opened (False) or closed (True) it."""

    folded = Signal(bool)

    def __init__(self, title: str, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = content
        self.heading = QPushButton()
        self.heading.setText(title)
        self.heading.setProperty("look", "fold")
        self.heading.setCheckable(True)
        self.heading.setChecked(True)
        self.heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.heading.toggled.connect(self._fold)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.heading)
        layout.addWidget(content)
        self._draw()

    def open(self, *, is_open: bool) -> None:
        """Open or close it."""
        self.heading.setChecked(is_open)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette and the direction."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.LayoutDirectionChange):
            self._draw()

    def _fold(self, is_open: bool) -> None:
        self.content.setVisible(is_open)
        self._draw()
        self.folded.emit(not is_open)

    def _draw(self) -> None:
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        closed = "chevron-left" if is_mirrored else "chevron-right"
        name = "chevron-down" if self.heading.isChecked() else closed
        self.heading.setIcon(icon(name, current_colors().muted, size=ICON_SMALL))
