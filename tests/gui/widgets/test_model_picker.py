"""The model picker shows what is loaded, what is loading, and offers the rest."""

from pytestqt.qtbot import QtBot

from quern.gui.widgets.model_picker import ModelChoice, ModelPicker
from tests.gui.ear import Ear


def test_it_offers_models_and_tells_the_picked_one(qtbot: QtBot) -> None:
    picker = ModelPicker()
    qtbot.addWidget(picker)
    picker.show_choices([ModelChoice("A & B", "1 GiB"), ModelChoice("C")])
    picker.show_loaded("C")
    picker.menu.aboutToShow.emit()
    actions = [action for action in picker.menu.actions() if action.isCheckable()]
    assert [action.isChecked() for action in actions] == [False, True]
    picked = Ear(picker.picked)
    with qtbot.waitSignal(picker.picked):
        actions[0].trigger()
    assert picked.last == ("A & B",)


def test_loading_shows_progress_and_a_way_to_stop(qtbot: QtBot) -> None:
    picker = ModelPicker()
    qtbot.addWidget(picker)
    assert picker.cancel_button.isHidden()
    picker.show_progress(0.5, "Loading…")
    assert picker.progress.value() == 500
    assert not picker.cancel_button.isHidden()
    with qtbot.waitSignal(picker.cancelled):
        picker.cancel_button.click()
    picker.show_progress(None, "")
    assert picker.progress.isHidden()
