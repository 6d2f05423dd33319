"""The panel says whether a model fits, offers what there is to choose, and tells every choice."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from quern.fit import HOST, DeviceNeed, Goal, Needs, RoomKind, Wish
from quern.gui.theme import Theme, ThemeChoice
from quern.gui.widgets.fit_panel import FitPanel
from quern.spec import KvType, LoadSettings
from tests.gui.ear import Ear
from tests.gui.stand_in_fit import GIB, StandInSession, ToyModel, measured_load

from .sample import CARD, EIGHT_B, LAPTOP, session

MIXTURE = ToyModel(weights=18 * GIB, n_layers=48, kv_width=1024, n_ctx_train=262_144, n_expert_layers=48)
WINDOWED = ToyModel(has_sliding_window=True)
USUAL = LoadSettings(n_ctx_cells=8192)


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication) -> Iterator[FitPanel]:
    Theme(qapp).choose(ThemeChoice.LIGHT, 1.0)
    area = QScrollArea()
    area.setWidgetResizable(True)
    widget = FitPanel()
    area.setWidget(widget)
    qtbot.addWidget(area)
    area.resize(360, 500)
    area.show()
    area.activateWindow()
    yield widget


def show(panel: FitPanel, of: StandInSession, settings: LoadSettings = USUAL) -> None:
    report = of.instant(settings)
    panel.show_limits(of.limits)
    panel.show_report(report, "Estimated.")
    panel.show_settings(settings, report.settings, is_changed=False)


def test_a_model_that_fits_says_so_with_its_largest_context(panel: FitPanel) -> None:
    show(panel, session())
    largest = session().instant(LoadSettings(n_ctx_cells=8192)).largest_ctx_cells
    assert largest is not None
    assert panel.verdict.sentence.text() == f"Fits. Largest context that fits: {largest:,} tokens."
    assert panel.verdict.accessibleName() == panel.verdict.sentence.text()
    assert panel.form.context.slider.mark == largest
    assert f"{largest:,} of the trained 131,072 fit" in panel.form.context.note.text()
    assert panel.advice.isHidden()
    assert not panel.verdict.help_button.isVisible()


def test_only_what_there_is_can_be_chosen(panel: FitPanel) -> None:
    show(panel, session())
    form = panel.form
    assert [field.isHidden() for field in (form.gpu_layers, form.cpu_experts, form.sliding_window)] == [True] * 3
    show(panel, session(EIGHT_B, LAPTOP, CARD))
    assert (form.gpu_layers.isHidden(), form.cpu_experts.isHidden()) == (False, True)
    assert form.gpu_layers.slider.stops == tuple(range(38))
    show(panel, session(MIXTURE, LAPTOP, CARD))
    assert not form.cpu_experts.isHidden()
    show(panel, session(MIXTURE))
    assert form.cpu_experts.isHidden()
    show(panel, session(WINDOWED))
    assert not form.sliding_window.isHidden()


def test_each_choice_changes_one_thing(panel: FitPanel) -> None:
    show(panel, session(replace(MIXTURE, has_sliding_window=True), LAPTOP, CARD), LoadSettings(n_batch_tokens=64))
    form, heard = panel.form, Ear(panel.changed)
    form.context.box.setValue(16_384)
    form.requests.slider.setValue(4)
    form.kv_type.list.setCurrentIndex(form.kv_type.list.findData("q8_0"))
    form.gpu_layers.slider.setValue(20)
    form.cpu_experts.slider.setValue(3)
    form.sliding_window.list.setCurrentIndex(1)
    wanted = LoadSettings(
        n_batch_tokens=64,
        n_ctx_cells=16_384,
        n_seq_max=4,
        type_k=KvType.Q8_0,
        type_v=KvType.Q8_0,
        n_gpu_layers=20,
        n_cpu_moe_layers=3,
        swa_full=False,
    )
    assert len(heard.heard) == 6
    assert heard.last == (wanted,)
    assert heard.firsts[0] == LoadSettings(n_batch_tokens=64, n_ctx_cells=16_384)
    assert form.requests.note.text() == "They share the context of 16,384 tokens."
    assert "20 of 49" in form.gpu_layers.note.text()
    assert "hardly ever" in form.kv_type.note.text()


def test_what_is_left_open_is_shown_resolved_and_stays_open(panel: FitPanel) -> None:
    show(panel, session(EIGHT_B, LAPTOP, CARD), LoadSettings())
    heard = Ear(panel.changed)
    assert panel.form.context.value == 4096
    assert panel.form.gpu_layers.value == 37
    panel.form.requests.slider.setValue(2)
    assert heard.last == (LoadSettings(n_seq_max=2),)


def test_requests_that_have_their_own_cells_are_told_how_many(panel: FitPanel) -> None:
    show(panel, session(), LoadSettings(n_ctx_cells=10_240, n_seq_max=3, kv_unified=False))
    assert panel.form.requests.note.text() == "Each has 3,584 tokens to itself."


def test_unequal_cache_types_are_named_and_kept(panel: FitPanel) -> None:
    show(panel, session(), LoadSettings(type_k=KvType.F16, type_v=KvType.Q8_0))
    heard = Ear(panel.changed)
    assert panel.form.kv_type.list.currentText() == "K f16, V q8_0"
    panel.form.requests.slider.setValue(2)
    assert heard.last == (LoadSettings(type_v=KvType.Q8_0, n_seq_max=2),)


def test_what_would_help_can_be_applied(panel: FitPanel) -> None:
    show(panel, session(), LoadSettings(n_ctx_cells=131_072))
    assert panel.verdict.sentence.text().startswith("Too large")
    rows = panel.advice.rows()
    heard = Ear(panel.changed)
    rows[0].button.click()
    first = rows[0].advice
    assert first is not None
    assert heard.last == (first.settings,)
    last = rows[-1]
    assert last.advice is not None
    assert last.advice.settings is None
    assert last.button.isHidden()
    assert "GiB" in rows[1].words.text()
    assert rows[1].button.accessibleName() == f"Apply: {rows[1].words.text()}"


def test_a_tight_panel_leads_to_what_would_help(panel: FitPanel, qtbot: QtBot) -> None:
    show(panel, session(), LoadSettings(n_ctx_cells=131_072))
    qtbot.waitUntil(panel.verdict.help_button.isVisible)
    panel.verdict.help_button.click()
    assert panel.advice.rows()[0].button.hasFocus()
    assert not panel.advice.visibleRegion().isEmpty()


def test_wishes_carry_users_and_consent(panel: FitPanel) -> None:
    show(panel, session())
    heard = Ear(panel.wished)
    panel.goals.users.setValue(7)
    panel.goals.consent.setChecked(True)
    for button in panel.goals.buttons.values():
        button.click()
    wishes = [wish for (wish,) in heard.heard if isinstance(wish, Wish)]
    assert [wish.goal for wish in wishes] == [Goal.FASTEST, Goal.LONGEST_CONTEXT, Goal.USERS]
    assert {(wish.n_users, wish.allows_quantized_kv) for wish in wishes} == {(7, True)}


def test_what_a_button_chose_is_told_beside_it_until_something_else_is_chosen(panel: FitPanel) -> None:
    show(panel, session())
    assert panel.goals.note.isHidden()
    panel.goals.wish(Goal.LONGEST_CONTEXT)
    panel.show_settings(replace(USUAL, n_seq_max=4), replace(USUAL, n_seq_max=4), is_changed=True)
    assert panel.goals.note.text() == "Set to a context of 8,192, parallel requests 4, KV cache f16."
    panel.form.requests.slider.setFocus()
    QTest.keyClick(panel.form.requests.slider, Qt.Key.Key_Home)
    assert panel.goals.note.isHidden()


def test_every_button_has_a_key(panel: FitPanel) -> None:
    show(panel, session(), LoadSettings(n_ctx_cells=131_072))
    panel.bind_keys_in(panel)
    wished, changed, reset = Ear(panel.wished), Ear(panel.changed), Ear(panel.reset)
    panel.form.context.box.setFocus()
    alt = Qt.KeyboardModifier.AltModifier
    for key in (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_Return, Qt.Key.Key_0):
        QTest.keyClick(panel.form.context.box, key, alt)
    assert len(wished.heard) == 3
    assert len(changed.heard) == len(reset.heard) == 1


def test_every_control_has_a_name(panel: FitPanel) -> None:
    show(panel, session(replace(MIXTURE, has_sliding_window=True), LAPTOP, CARD), LoadSettings(n_ctx_cells=262_144))
    focusable = [w for w in panel.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus]
    names = {type(w).__name__: w.accessibleName() or getattr(w, "text", str)() for w in focusable if w.isVisible()}
    assert len(names) >= 6
    assert all(names.values()), names


def test_a_problem_takes_the_place_of_everything_but_its_button(panel: FitPanel) -> None:
    show(panel, session())
    panel.show_problem("Nobody knows.", "Download it again.")
    assert not panel.form.isVisible()
    assert panel.verdict.accessibleName() == "Nobody knows."
    heard = Ear(panel.retried)
    panel.retry_button.click()
    assert heard.heard == [()]


def test_settings_that_are_refused_can_be_changed_again(panel: FitPanel) -> None:
    show(panel, session())
    panel.refuse("q8_0 does not divide the head size.", "Choose f16.")
    assert panel.form.isVisible()
    assert "q8_0" in panel.verdict.sentence.text()


def test_a_load_that_was_measured_stands_beside_its_estimate(panel: FitPanel) -> None:
    show(panel, session())
    assert panel.measured.isHidden()
    load = measured_load(
        estimated=[DeviceNeed(HOST, Needs(weights=4 * GIB))],
        measured=[DeviceNeed(HOST, Needs(weights=4 * GIB + GIB // 25)), DeviceNeed("CUDA0", Needs(kv=GIB))],
    )
    panel.show_measured([load])
    lines = panel.measured.lines.text().splitlines()
    assert lines[0] == "Memory: 4.0 GiB measured, 4.0 GiB estimated (+1.0 %)"
    assert lines[1] == "CUDA0: 1.0 GiB measured"
    panel.show_measured([])
    assert panel.measured.isHidden()


def test_two_columns_where_there_is_room(panel: FitPanel, qtbot: QtBot) -> None:
    show(panel, session(EIGHT_B, LAPTOP, CARD))
    area = panel.window()
    qtbot.waitUntil(lambda: panel.goals.y() > 0)
    assert panel.goals.mapTo(panel, panel.goals.rect().topLeft()).x() == 0
    area.resize(900, 600)
    qtbot.waitUntil(lambda: panel.goals.mapTo(panel, panel.goals.rect().topLeft()).x() > 300)
    # The table of several devices stands beside the sliders then, so that bars and sliders are seen together.
    assert panel.legend.mapTo(panel, panel.legend.rect().topLeft()).x() > 300


def test_nothing_below_the_verdict_moves_when_it_becomes_shorter(panel: FitPanel, qtbot: QtBot) -> None:
    show(panel, session(), LoadSettings(n_ctx_cells=131_072))
    qtbot.wait(50)
    before = panel.devices.mapTo(panel, panel.devices.rect().topLeft()).y()
    panel.show_report(session().instant(LoadSettings(n_ctx_cells=1024)), "Estimated.")
    qtbot.wait(50)
    assert panel.devices.mapTo(panel, panel.devices.rect().topLeft()).y() == before


def test_companions_are_named(panel: FitPanel) -> None:
    panel.show_limits(session().limits, ["mmproj-f16.gguf", "draft-Q4_0.gguf"])
    assert panel.companions.text() == "Together with mmproj-f16.gguf, draft-Q4_0.gguf"
    panel.show_limits(session().limits)
    assert panel.companions.isHidden()


def test_unified_memory_offers_gpu_layers(panel: FitPanel) -> None:
    unified = replace(CARD, device="Metal", kind=RoomKind.UNIFIED)
    show(panel, session(EIGHT_B, LAPTOP, unified))
    assert not panel.form.gpu_layers.isHidden()
