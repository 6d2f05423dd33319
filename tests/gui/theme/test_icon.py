"""Every icon is a line icon on the 24-pixel grid that takes the palette's colour."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from quern.base import ResourceMissing, resource
from quern.gui.theme import icon_pixmap

ICONS = sorted(path.stem for path in resource("icons/chat.svg").parent.glob("*.svg"))
SOURCES = Path(__file__).parents[3] / "app" / "quern" / "gui"


@pytest.mark.parametrize("name", ICONS)
def test_an_icon_is_drawn_in_the_asked_colour(name: str, qapp: QApplication) -> None:
    del qapp
    image = icon_pixmap(name, "#ff0000", 24, 2.0).toImage()
    assert image.width() == 48
    colors = {
        image.pixelColor(x, y).name() for x in range(48) for y in range(48) if image.pixelColor(x, y).alpha() > 250
    }
    assert QColor("#ff0000").name() in colors
    assert 'viewBox="0 0 24 24"' in resource(f"icons/{name}.svg").read_text()


def test_every_icon_is_used() -> None:
    text = "\n".join(path.read_text() for path in SOURCES.rglob("*.py"))
    used = set(re.findall(r'"([a-z]+(?:-[a-z]+)*)"', text))
    assert set(ICONS) - used == set()


def test_an_unknown_icon_is_an_error(qapp: QApplication) -> None:
    del qapp
    with pytest.raises(ResourceMissing):
        icon_pixmap("no-such-icon", "#000000")
