"""The colours can be read: contrast by WCAG 2.2 (1.4.3, 1.4.11) in both schemes."""

import pytest

from quern.gui.theme.colors import DARK, LIGHT, Colors, colors_of, palette_of

GROUNDS = ("window", "surface", "raised", "sunken", "accent_tint", "danger_tint", "warning_tint")


def luminance(color: str) -> float:
    """Relative luminance (WCAG 2.2, definition)."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_can_be_read_on_every_ground(colors: Colors, ground: str) -> None:
    for text in ("text", "muted"):
        assert contrast(getattr(colors, text), getattr(colors, ground)) >= 4.5, text


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_quiet_text_and_marks_can_be_seen(colors: Colors) -> None:
    assert contrast(colors.faint, colors.surface) >= 4.5
    assert contrast(colors.faint, colors.sunken) >= 4.5
    assert contrast(colors.on_accent, colors.accent) >= 4.5
    assert contrast(colors.danger, colors.raised) >= 4.5
    assert contrast(colors.accent, colors.window) >= 3
    assert contrast(colors.window, colors.text) >= 4.5


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_a_palette_tells_its_scheme(colors: Colors) -> None:
    assert colors_of(palette_of(colors)) is colors
