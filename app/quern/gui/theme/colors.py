"""The colours of a light and a dark window: warm greys and one accent."""

from dataclasses import dataclass

from PySide6.QtGui import QColor, QGuiApplication, QPalette


@dataclass(frozen=True, slots=True, kw_only=True)
class Colors:
    """One scheme. Text on its own background keeps at least 4.5:1 (WCAG 2.2, 1.4.3), marks and icons 3:1.

    `window` lies behind everything, `surface` under text that is read, `raised` under what floats, `sunken` under
    hovered rows and quiet fields. `accent` marks what is chosen or comes next, `on_accent` is drawn on it.
    """

    window: str
    surface: str
    raised: str
    sunken: str
    hairline: str
    outline: str
    text: str
    muted: str
    faint: str
    accent: str
    accent_hover: str
    on_accent: str
    accent_tint: str
    danger: str
    danger_tint: str
    warning: str
    warning_tint: str
    success: str


LIGHT = Colors(
    window="#f4f3f0",
    surface="#fdfdfc",
    raised="#ffffff",
    sunken="#ebe9e4",
    hairline="#e2dfd9",
    outline="#8d8880",
    text="#1f1d1a",
    muted="#625e57",
    faint="#6a655e",
    accent="#0b6e66",
    accent_hover="#085a53",
    on_accent="#ffffff",
    accent_tint="#dcecea",
    danger="#b3261e",
    danger_tint="#fbe9e7",
    warning="#8a5a00",
    warning_tint="#fbf0d9",
    success="#1c7a42",
)

DARK = Colors(
    window="#191918",
    surface="#212120",
    raised="#2a2a28",
    sunken="#2f2f2d",
    hairline="#363532",
    outline="#837f78",
    text="#eceae6",
    muted="#aeaaa3",
    faint="#9c9891",
    accent="#5cc4b8",
    accent_hover="#7ad3c8",
    on_accent="#07211e",
    accent_tint="#21403c",
    danger="#f2938c",
    danger_tint="#45211e",
    warning="#e6b863",
    warning_tint="#3f3218",
    success="#7fcf9c",
)


def colors_of(palette: QPalette) -> Colors:
    """Return the scheme that `palette` was made from, told by how bright its window is.

    A style sheet gives the widgets that it makes transparent a window colour without any opacity; the alternate base
    is then still the scheme's.
    """
    color = palette.color(QPalette.ColorRole.Window)
    if color.alpha() == 0:
        color = palette.color(QPalette.ColorRole.AlternateBase)
    return DARK if color.lightness() < 128 else LIGHT


def current_colors() -> Colors:
    """Return the scheme in use.

    Not a widget's own palette: a style sheet rule gives that widget its own brushes, transparent ones among them.
    """
    return colors_of(QGuiApplication.palette())


def palette_of(colors: Colors) -> QPalette:
    """Return a whole Qt palette in `colors`, disabled roles included."""
    palette = QPalette()
    role = QPalette.ColorRole
    for target, color in (
        (role.Window, colors.window),
        (role.WindowText, colors.text),
        (role.Base, colors.surface),
        (role.AlternateBase, colors.sunken),
        (role.Text, colors.text),
        (role.PlaceholderText, colors.faint),
        (role.Button, colors.raised),
        (role.ButtonText, colors.text),
        (role.BrightText, colors.danger),
        (role.Highlight, colors.accent),
        (role.HighlightedText, colors.on_accent),
        (role.Accent, colors.accent),
        (role.Link, colors.accent),
        (role.LinkVisited, colors.accent),
        (role.ToolTipBase, colors.raised),
        (role.ToolTipText, colors.text),
        (role.Light, colors.raised),
        (role.Midlight, colors.hairline),
        (role.Mid, colors.outline),
        (role.Dark, colors.outline),
        (role.Shadow, colors.window),
    ):
        palette.setColor(target, QColor(color))
    for target in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, target, QColor(colors.outline))
    return palette
