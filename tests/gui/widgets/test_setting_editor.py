"""Controls that are generated from declarations hold what the declaration allows."""

import pytest
from pytestqt.qtbot import QtBot

from quern.gui.widgets.sampling_form import SamplingForm
from quern.gui.widgets.setting_editor import AnySetting, NumberBox, SettingEditor
from quern.settings import SETTINGS, Kind, Limits, Setting, Special, setting_for
from quern.spec import SamplingParams
from tests.gui.ear import Ear


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_has_a_control_that_holds_its_default(setting: AnySetting, qtbot: QtBot) -> None:
    editor = SettingEditor(setting)
    qtbot.addWidget(editor)
    assert editor.value() == setting.default
    assert editor.control.accessibleName() == setting.title
    assert setting.checked(editor.value()) == setting.default


def test_showing_a_value_says_nothing(qtbot: QtBot) -> None:
    editor = SettingEditor(setting_for("appearance.theme"))
    qtbot.addWidget(editor)
    told: list[object] = []
    editor.changed.connect(lambda: told.append(editor.value()))
    editor.show_value("dark")
    assert (editor.value(), told) == ("dark", [])
    editor.control.setCurrentIndex(0)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    assert told == ["system"]


def test_a_number_never_stays_between_automatic_and_the_smallest(qtbot: QtBot) -> None:
    setting = Setting(
        key="test.cells",
        kind=Kind.WHOLE_NUMBER,
        default=0,
        title="Cells",
        sentence="How many.",
        limits=Limits(256, 4096, 256),
        special=Special(0, "as many as fit"),
    )
    box = NumberBox(setting)
    qtbot.addWidget(box)
    assert box.text() == "Automatic"
    box.stepBy(1)
    assert box.value() == 256
    box.stepBy(-1)
    assert box.value() == 0
    box.setValue(100)
    assert setting.checked(round(box.held_value())) == 256


def test_the_sampling_form_gives_back_what_it_is_shown(qtbot: QtBot) -> None:
    form = SamplingForm()
    qtbot.addWidget(form)
    params = SamplingParams(temperature=0.25, top_k=7, seed=4_294_967_000, max_tokens=128, stop=("END", "\n\nUser:"))
    form.show_params(params, is_own=True)
    assert form.params() == params
    assert form.reset_button.isEnabled()
    form.show_params(SamplingParams(), is_own=False)
    assert form.params() == SamplingParams()
    assert not form.reset_button.isEnabled()


def test_a_changed_parameter_is_told_with_all_others(qtbot: QtBot) -> None:
    form = SamplingForm()
    qtbot.addWidget(form)
    form.show_params(SamplingParams(stop=("END",)), is_own=False)
    changed = Ear(form.changed)
    with qtbot.waitSignal(form.changed):
        form.editors["temperature"].control.setValue(0.0)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    assert changed.last == (SamplingParams(temperature=0.0, stop=("END",)),)
