"""A streaming reply is drawn as often as it stays cheap, and never so seldom that it jumps."""

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from quern.gui.widgets.transcript.pace import LIGHT_MS, SHARE, Pace


def pace_after(cost_ms: float, parent: QObject) -> Pace:
    """The pace once many updates have cost `cost_ms` each."""
    pace = Pace(lambda: None, parent)
    for _ in range(40):
        pace.spend(cost_ms / 1000)
        pace.ask()
        pace.draw_now()
    return pace


@pytest.mark.parametrize("cost_ms", [0.1, 0.8, LIGHT_MS - 0.01])
def test_light_updates_come_often_and_take_their_share_at_most(qapp: QApplication, cost_ms: float) -> None:
    interval_ms = pace_after(cost_ms, qapp).interval_ms
    assert interval_ms <= 60
    assert cost_ms / interval_ms <= 1 / SHARE + 0.001


@pytest.mark.parametrize("cost_ms", [2.0, 4.0, 20.0])
def test_heavy_updates_are_borne_by_few_tokens_and_never_wait_long(qapp: QApplication, cost_ms: float) -> None:
    """Fewer than one token in twenty at 100 tokens/s; a quarter of a second at most."""
    assert 210 <= pace_after(cost_ms, qapp).interval_ms <= 250


def test_many_calls_make_one_update(qapp: QApplication, qtbot: QtBot) -> None:
    drawn: list[int] = []
    pace = Pace(lambda: drawn.append(1), qapp)
    for _ in range(10):
        pace.ask()
    qtbot.waitUntil(lambda: bool(drawn))
    qtbot.wait(50)
    assert drawn == [1]
