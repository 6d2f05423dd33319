"""The transcript's own colours and fonts, derived from the window's palette."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette

from quern.gui.theme import Colors, colors_of

LIGHT_SYNTAX = {
    "keyword": "#7a3e9d",
    "name": "#1f5fa8",
    "string": "#2b6b2f",
    "number": "#9a4a00",
    "comment": "#6a675f",
    "error": "#b3261e",
}
DARK_SYNTAX = {
    "keyword": "#cfa2ec",
    "name": "#86b8f0",
    "string": "#97cf8e",
    "number": "#eab17a",
    "comment": "#9a968e",
    "error": "#f2938c",
}


@dataclass(frozen=True, slots=True)
class Look:
    """Everything that formats and grounds are made from."""

    text: str
    muted: str
    link: str
    user_ground: str
    code_ground: str
    line: str
    syntax: dict[str, str]
    font: QFont
    code_font: QFont
    is_right_to_left: bool = False


def look_of(palette: QPalette, font: QFont, direction: Qt.LayoutDirection) -> Look:
    """The look for `palette`, the widget's `font` and its layout's `direction`."""
    colors: Colors = colors_of(palette)
    is_dark = palette.color(QPalette.ColorRole.Base).lightness() < 128
    code_font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    code_font.setStyleHint(QFont.StyleHint.Monospace)
    if font.pixelSize() > 0:
        code_font.setPixelSize(max(1, round(font.pixelSize() * 0.93)))
    else:
        code_font.setPointSizeF(font.pointSizeF() * 0.93)
    return Look(
        text=palette.color(QPalette.ColorRole.Text).name(),
        muted=colors.muted,
        link=palette.color(QPalette.ColorRole.Link).name(),
        user_ground=_between(colors.accent_tint, colors.surface),
        code_ground=colors.window,
        line=colors.hairline,
        syntax=DARK_SYNTAX if is_dark else LIGHT_SYNTAX,
        font=font,
        code_font=code_font,
        is_right_to_left=direction is Qt.LayoutDirection.RightToLeft,
    )


def _between(one: str, other: str) -> str:
    """The colour halfway between two."""
    first, second = QColor(one), QColor(other)
    return QColor(
        (first.red() + second.red()) // 2, (first.green() + second.green()) // 2, (first.blue() + second.blue()) // 2
    ).name()
