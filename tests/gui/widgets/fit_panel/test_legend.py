"""The key names every part with its bytes, in as many columns as there is room for."""

from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from quern.gui.widgets.fit_panel.legend import Legend
from quern.gui.widgets.fit_panel.segment import device_views
from tests.gui.ear import Ear

from .sample import CARD, LAPTOP, report


def legend_of(qtbot: QtBot, width: int, *rooms: object) -> Legend:
    legend = Legend()
    qtbot.addWidget(legend)
    legend.show_devices(device_views(report(8192, *rooms)))  # pyright: ignore[reportArgumentType]
    legend.resize(width, legend.heightForWidth(width))
    legend.show()
    return legend


def test_every_part_has_a_row_with_its_figure(qtbot: QtBot) -> None:
    legend = legend_of(qtbot, 300)
    figures = {row.name: row.figures for row in legend.rows}
    assert figures["Weights"] == ("5.0 GiB",)
    assert list(figures) == [
        "Weights",
        "KV cache",
        "Compute buffer",
        "Output buffer",
        "Engine",
        "Other programs",
        "Free",
        "Margin",
    ]
    assert "Weights 5.0 GiB" in legend.accessibleName()


def test_a_wider_key_is_lower(qtbot: QtBot) -> None:
    legend = legend_of(qtbot, 300)
    assert legend.heightForWidth(900) * 2 < legend.heightForWidth(250)


def test_several_devices_have_a_column_each(qtbot: QtBot) -> None:
    legend = legend_of(qtbot, 500, LAPTOP, CARD)
    weights = legend.rows[0]
    assert weights.figures == ("", "5.0 GiB")
    assert len(weights.sentences) == 1
    assert legend.heightForWidth(500) == legend.heightForWidth(900)
    legend.grab()


def test_the_pointer_lights_a_part(qtbot: QtBot) -> None:
    legend = legend_of(qtbot, 250)
    line = legend.height() // len(legend.rows)
    pointed = Ear(legend.pointed)
    QTest.mouseMove(legend, QPoint(30, line // 2))
    QTest.mouseMove(legend, QPoint(30, line + line // 2))
    assert pointed.firsts == ["weights", "kv"]
    legend.light("kv")
    legend.grab()
