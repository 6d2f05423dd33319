"""A slider over uneven stops: keys and pointer move from stop to stop, and a mark shows what is possible."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from quern.gui.widgets.fit_panel.number_field import NumberField
from quern.gui.widgets.fit_panel.slider import KNOB, StopSlider
from quern.gui.widgets.fit_panel.stops import CELL_STEP, context_stops
from tests.gui.ear import Ear


@pytest.fixture
def slider(qtbot: QtBot) -> StopSlider:
    widget = StopSlider()
    qtbot.addWidget(widget)
    widget.show_stops(context_stops(32_768))
    widget.resize(400 + KNOB, 24)
    widget.show()
    return widget


@pytest.mark.parametrize("n_ctx_train", [1, 256, 300, 2048, 32_768, 131_072, 10_485_760])
def test_contexts_stop_at_multiples_of_256_up_to_the_trained_one(n_ctx_train: int) -> None:
    stops = context_stops(n_ctx_train)
    assert all(stop % CELL_STEP == 0 for stop in stops)
    assert all(one < other for one, other in pairwise(stops))
    assert 0 <= stops[-1] - n_ctx_train < CELL_STEP
    assert len(stops) <= 140
    # No step is larger than an eighth of where it starts from, once that is more than the smallest step.
    assert all(other - one <= max(CELL_STEP, one / 8) for one, other in pairwise(stops))


def test_keys_go_from_stop_to_stop(slider: StopSlider) -> None:
    slider.setValue(8192)
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert slider.value() == 9216
    QTest.keyClick(slider, Qt.Key.Key_Down)
    assert slider.value() == 8192
    slider.setValue(8500)
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert slider.value() == 9216
    slider.setValue(8500)
    QTest.keyClick(slider, Qt.Key.Key_Left)
    assert slider.value() == 8192
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert slider.value() == 32_768
    QTest.keyClick(slider, Qt.Key.Key_PageDown)
    assert slider.value() == 16_384
    QTest.keyClick(slider, Qt.Key.Key_Home)
    assert slider.value() == 256


def test_the_pointer_sets_and_drags(slider: StopSlider) -> None:
    heard = Ear(slider.valueChanged)
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(KNOB // 2 + 200, 12))
    assert slider.value() == slider.stops[len(slider.stops) // 2]
    QTest.mouseMove(slider, QPoint(KNOB // 2 + 400, 12))
    assert slider.value() == 32_768
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(KNOB // 2 + 400, 12))
    assert not slider.isSliderDown()
    assert all(value in slider.stops for value in heard.firsts)


def test_from_right_to_left_small_numbers_are_on_the_right(slider: StopSlider) -> None:
    slider.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert slider.stop_at(0) == 32_768
    assert slider.stop_at(slider.width()) == 256
    slider.setValue(8192)
    QTest.keyClick(slider, Qt.Key.Key_Left)
    assert slider.value() == 9216


def test_equal_steps_of_the_hand_are_equal_ratios_of_the_number(slider: StopSlider) -> None:
    shares = [slider.share_of(value) for value in (4096, 8192, 16_384)]
    assert shares[1] - shares[0] == pytest.approx(shares[2] - shares[1])
    assert slider.share_of(256) == 0.0
    assert slider.share_of(10**9) == 1.0


def test_the_mark_is_drawn_where_it_lies(slider: StopSlider) -> None:
    slider.setValue(256)
    before = slider.grab().toImage()
    slider.show_mark(8192)
    after = slider.grab().toImage()
    x = round(KNOB / 2 + slider.share_of(8192) * 400)
    assert before.pixelColor(x, 5) != after.pixelColor(x, 5)
    assert before.pixelColor(x - 20, 12) == after.pixelColor(x - 20, 12)
    slider.show_mark(None)
    assert slider.grab().toImage() == before


def test_what_is_typed_is_moved_up_to_a_step_and_told_once(qtbot: QtBot) -> None:
    field = NumberField("Context length", "How long.", CELL_STEP)
    qtbot.addWidget(field)
    field.show_range(context_stops(32_768))
    field.show_value(4096)
    field.show()
    heard = Ear(field.changed)
    field.box.setFocus()
    field.box.selectAll()
    QTest.keyClicks(field.box, "10000")
    QTest.keyClick(field.box, Qt.Key.Key_Return)
    assert field.value == field.slider.value() == 10_240
    assert heard.heard == [(10_240,)]
    assert field.box.accessibleName() == field.slider.accessibleName() == "Context length"


def test_a_number_beyond_the_sliders_end_is_still_shown(qtbot: QtBot) -> None:
    field = NumberField("Context length", "How long.", CELL_STEP)
    qtbot.addWidget(field)
    field.show_range(context_stops(2048))
    field.show_value(8192)
    assert field.value == 8192
    assert field.slider.value() == 2048
