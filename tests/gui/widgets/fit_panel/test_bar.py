"""A bar shows every part in its order and length, beyond its end what has no room, and explains itself."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from quern.fit import HOST, Room, RoomKind
from quern.gui.theme import Theme, ThemeChoice
from quern.gui.widgets.fit_panel.bar import MARK, THINNEST, DeviceBar
from quern.gui.widgets.fit_panel.segment import device_views
from tests.gui.ear import Ear
from tests.gui.stand_in_fit import GIB

from .sample import CARD, LAPTOP, report

MAC = (
    Room(device=HOST, label="M3", kind=RoomKind.HOST, total=36 * GIB, free=24 * GIB, margin=2 * GIB),
    Room(device="Metal", label="M3", kind=RoomKind.UNIFIED, total=27 * GIB, free=24 * GIB, margin=GIB),
)


@pytest.fixture
def bar(qtbot: QtBot, qapp: QApplication) -> Iterator[DeviceBar]:
    Theme(qapp).choose(ThemeChoice.LIGHT, 1.0)
    widget = DeviceBar()
    qtbot.addWidget(widget)
    widget.resize(1000, 26)
    widget.show_device(device_views(report())[0])
    widget.show()
    widget.activateWindow()
    yield widget
    QToolTip.hideText()


def test_parts_stand_in_one_order_and_fill_the_device(bar: DeviceBar) -> None:
    keys = [segment.key for segment in bar.view.segments]
    assert keys == ["weights", "kv", "compute", "output", "runtime", "other", "free", "margin"]
    assert sum(segment.n_bytes for segment in bar.view.segments) == bar.view.total == 16 * GIB


def test_a_length_is_its_share_and_the_smallest_is_still_seen(bar: DeviceBar) -> None:
    spans = {segment.key: end - begin for segment, begin, end in bar.spans()}
    assert spans["weights"] == pytest.approx(1000 * 5 / 16, abs=THINNEST)
    assert spans["output"] == THINNEST
    begins = [begin for _, begin, _ in bar.spans()]
    ends = [end for _, _, end in bar.spans()]
    assert begins[1:] == ends[:-1]
    assert (begins[0], round(ends[-1], 6)) == (0.0, 1000.0)


def test_what_has_no_room_is_drawn_beyond_the_end(bar: DeviceBar) -> None:
    bar.show_device(device_views(report(131_072))[0])
    view = bar.view
    assert view.over == view.scale - view.total > 0
    assert "over 16.0 GiB" in view.summary
    assert sum(segment.n_bytes for segment in view.segments) == view.scale
    end = round(1000 * view.total / view.scale)
    image = bar.grab().toImage()
    assert reds(image, QRect(end + 4, MARK + 2, 1000 - end - 8, 16)) > 100
    assert reds(image, QRect(4, MARK + 2, 200, 16)) == 0


def reds(image: QImage, rect: QRect) -> int:
    """Count the pixels of `rect` that are as red as a danger."""
    pixels = ((x, y) for x in range(rect.left(), rect.right()) for y in range(rect.top(), rect.bottom()))
    return sum(1 for x, y in pixels if (c := image.pixelColor(x, y)).red() > 150 and c.green() < 70 and c.blue() < 70)


def test_keys_walk_through_the_parts_and_explain_them(bar: DeviceBar) -> None:
    bar.setFocus()
    pointed = Ear(bar.pointed)
    QTest.keyClick(bar, Qt.Key.Key_Right)
    assert bar.accessibleDescription() == "The model's own numbers take 5.0 GiB."
    QTest.keyClick(bar, Qt.Key.Key_Right)
    assert "KV cache" in bar.accessibleDescription()
    QTest.keyClick(bar, Qt.Key.Key_Left)
    QTest.keyClick(bar, Qt.Key.Key_End)
    assert "kept free" in bar.accessibleDescription()
    assert pointed.firsts == ["weights", "kv", "weights", "margin"]
    bar.clearFocus()
    assert pointed.last == ("",)
    assert "Weights 5.0 GiB" in bar.accessibleDescription()


def test_from_right_to_left_the_bar_and_its_keys_are_mirrored(bar: DeviceBar) -> None:
    ltr = bar.grab().toImage()
    bar.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    rtl = bar.grab().toImage()
    assert rtl.pixelColor(995, 12) == ltr.pixelColor(4, 12)
    assert rtl.pixelColor(700, 12) == ltr.pixelColor(299, 12)
    bar.setFocus()
    QTest.keyClick(bar, Qt.Key.Key_Left)
    assert "own numbers" in bar.accessibleDescription()


def test_the_pointer_is_told_what_it_points_at(bar: DeviceBar) -> None:
    pointed = Ear(bar.pointed)
    QTest.mouseMove(bar, QPoint(100, 12))
    QTest.mouseMove(bar, QPoint(900, 12))
    assert pointed.firsts == ["weights", "free"]
    place = QPoint(100, 12)
    QApplication.sendEvent(bar, QHelpEvent(QHelpEvent.Type.ToolTip, place, bar.mapToGlobal(place)))
    assert QToolTip.text() == "The model's own numbers take 5.0 GiB."


def test_a_part_that_is_gone_is_not_walked_to_any_more(bar: DeviceBar) -> None:
    bar.choose(7)
    bar.show_device(device_views(report(131_072))[0])
    assert len(bar.view.segments) == 6
    assert "over" in bar.accessibleDescription()
    bar.grab()


def test_what_a_gpu_takes_of_the_machines_memory_is_counted_there_once() -> None:
    host, gpu = device_views(report(8192, *MAC))
    taken = {segment.key: segment.n_bytes for segment in host.segments}
    on_gpu = sum(s.n_bytes for s in gpu.segments if s.key not in ("other", "free", "margin"))
    assert taken["shared"] == on_gpu
    assert sum(taken.values()) == 36 * GIB
    assert host.label == "Memory"
    assert gpu.label == f"{gpu.device} (M3)"


def test_a_gpu_begins_with_the_name_that_columns_and_advice_have() -> None:
    twin = Room(device="CUDA1", label="RTX 4070", kind=RoomKind.GPU, total=12 * GIB, free=11 * GIB)
    labels = [view.label for view in device_views(report(8192, LAPTOP, CARD, twin))]
    assert labels == ["Memory", "CUDA0 (RTX 4070)", "CUDA1 (RTX 4070)"]
