"""How the window looks: colours, distances, icons and the style sheet, following the system."""

from .colors import Colors, colors_of, current_colors
from .icon import icon, icon_pixmap
from .metrics import GRID, ICON, MARGIN
from .theme import Theme, ThemeChoice, theme_choice

__all__ = [
    "GRID",
    "ICON",
    "MARGIN",
    "Colors",
    "Theme",
    "ThemeChoice",
    "colors_of",
    "current_colors",
    "icon",
    "icon_pixmap",
    "theme_choice",
]
