"""A button that is an icon: named for screen readers, tinted by the palette."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QToolButton, QWidget

from quern.gui.theme import ICON, current_colors, icon


class IconButton(QToolButton):
    """Owns one icon button. `tip` is its tool tip and accessible name; `shortcut` is appended to the tip.

    `tint` names the field of Colors that the icon is drawn in.
    """

    def __init__(
        self, icon_name: str, tip: str, parent: QWidget | None = None, *, tint: str = "muted", size: int = ICON
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon_name
        self._tint = tint
        self._size = size
        self.setIconSize(QSize(size, size))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.say(tip)
        self._draw()

    def say(self, tip: str, sequence: QKeySequence | QKeySequence.StandardKey | str = "") -> None:
        """Use `tip` as tool tip and accessible name, followed in the tool tip by the keys that do the same."""
        keys = QKeySequence(sequence).toString(QKeySequence.SequenceFormat.NativeText)
        self.setAccessibleName(tip)
        self.setToolTip(f"{tip} ({keys})" if keys else tip)

    def bind(self, sequence: QKeySequence | QKeySequence.StandardKey | str) -> QShortcut:
        """Click the button when `sequence` is pressed anywhere in its window, and tell so in the tool tip."""
        self.say(self.accessibleName(), sequence)
        shortcut = QShortcut(QKeySequence(sequence), self)
        shortcut.setWhatsThis(self.accessibleName())
        shortcut.activated.connect(self.animateClick)
        return shortcut

    def show_icon(self, icon_name: str, tint: str = "") -> None:
        """Change the icon, and its tint where one is given."""
        self._icon_name = icon_name
        self._tint = tint or self._tint
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette and the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        colors = current_colors()
        color = str(getattr(colors, self._tint))
        self.setIcon(icon(self._icon_name, color, disabled=colors.outline, size=self._size))
