"""Parts of a device's memory can be seen on every ground that a bar stands on, and told apart without colour."""

from itertools import pairwise

import pytest
from PySide6.QtWidgets import QApplication

from quern.gui.theme import Theme, ThemeChoice, current_colors
from quern.gui.theme.part_colors import part_colors
from quern.gui.widgets.fit_panel.pattern import part_brush
from quern.gui.widgets.fit_panel.segment import FREE, MARGIN, ORDER

from .test_colors import contrast


@pytest.fixture(params=[ThemeChoice.LIGHT, ThemeChoice.DARK], ids=["light", "dark"])
def _scheme(request: pytest.FixtureRequest, qapp: QApplication) -> None:
    Theme(qapp).choose(request.param, 1.0)


@pytest.mark.usefixtures("_scheme")
def test_every_part_is_seen_on_every_ground() -> None:
    assert set(part_colors()) == set(ORDER) - {FREE, MARGIN}
    for key, color in part_colors().items():
        for ground in (current_colors().surface, current_colors().window):
            assert contrast(color, ground) >= 3, key


@pytest.mark.usefixtures("_scheme")
def test_neighbours_differ_in_more_than_their_colour() -> None:
    looks = {key: drawing(key) for key in ORDER}
    plain = drawing("weights")
    assert [key for key, look in looks.items() if look == plain] == ["weights", "runtime", "other", FREE]
    assert all(looks[one] != looks[other] for one, other in pairwise(ORDER) if (one, other) != ("other", FREE))


def drawing(key: str) -> frozenset[tuple[int, int]]:
    """Return the pixels of the part's fill that are not its ground."""
    image = part_brush(key, 1.0).textureImage()
    pixels = {(x, y): image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}
    ground = max(set(pixels.values()), key=list(pixels.values()).count, default=0)
    return frozenset(place for place, color in pixels.items() if color != ground)
