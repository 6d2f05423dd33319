"""The scheme in use: follows the system or the person's choice, and scales text."""

from enum import StrEnum

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from .colors import DARK, LIGHT, Colors, palette_of
from .stylesheet import stylesheet

MIN_SCALE, MAX_SCALE = 0.75, 2.0


class ThemeChoice(StrEnum):
    """Which scheme the person wants."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


_SCHEMES = {
    ThemeChoice.SYSTEM: Qt.ColorScheme.Unknown,
    ThemeChoice.LIGHT: Qt.ColorScheme.Light,
    ThemeChoice.DARK: Qt.ColorScheme.Dark,
}


def theme_choice(text: object) -> ThemeChoice:
    """Return the choice that `text` names; SYSTEM for anything else."""
    return ThemeChoice(text) if text in set(ThemeChoice) else ThemeChoice.SYSTEM


class Theme(QObject):
    """Owns the application's palette, font size and style sheet."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._system_font = QFont(application.font())
        self._choice = ThemeChoice.SYSTEM
        self._scale = 1.0
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self._apply)

    @property
    def colors(self) -> Colors:
        """The colours in use."""
        return DARK if self._is_dark else LIGHT

    def choose(self, choice: ThemeChoice, text_scale: float) -> None:
        """Use `choice`, and text `text_scale` times the system's size (held between 0.75 and 2)."""
        self._choice = choice
        self._scale = min(MAX_SCALE, max(MIN_SCALE, text_scale))
        self._application.styleHints().setColorScheme(_SCHEMES[choice])
        self._apply()

    @property
    def _is_dark(self) -> bool:
        if self._choice is not ThemeChoice.SYSTEM:
            return self._choice is ThemeChoice.DARK
        return self._application.styleHints().colorScheme() is Qt.ColorScheme.Dark

    def _apply(self) -> None:
        font = QFont(self._system_font)
        font.setPointSizeF(self._system_font.pointSizeF() * self._scale)
        self._application.setFont(font)
        self._application.setPalette(palette_of(self.colors))
        self._application.setStyleSheet(stylesheet(self.colors, font.pointSizeF()))
