"""The options panel tells what is typed in it in time, and shows what the last reply cost."""

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from quern.gui.widgets.options_panel import OptionsPanel
from tests.gui.ear import Ear


def test_a_system_prompt_is_told_before_the_focus_is_elsewhere(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    panel, other = OptionsPanel(), QLineEdit()
    layout = QVBoxLayout(window)
    layout.addWidget(panel)
    layout.addWidget(other)
    window.show()
    window.activateWindow()
    panel.system_prompt.setFocus()
    qtbot.waitUntil(panel.system_prompt.hasFocus)
    ear = Ear(panel.system_prompt_changed)
    QTest.keyClicks(panel.system_prompt, "Be brief.")
    assert ear.heard == []
    other.setFocus()
    assert ear.heard == [("Be brief.",)]


def test_figures_are_shown_where_there_are_any(qtbot: QtBot) -> None:
    panel = OptionsPanel()
    qtbot.addWidget(panel)
    assert panel.figures.isHidden()
    panel.show_figures([("Speed", "40 tokens/s"), ("Reply", "12 tokens")])
    assert panel.figures.facts() == (("Speed", "40 tokens/s"), ("Reply", "12 tokens"))
    panel.show_figures([])
    assert panel.figures.isHidden()
