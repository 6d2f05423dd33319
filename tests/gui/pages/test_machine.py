"""The Machine page tells what is there and not used, with the command to copy."""

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel

from quern.gui.main_window import MACHINE, SMALLEST_SIZE
from quern.gui.pages.machine import MachinePage
from quern.runtime import DoctorReport
from tests.gallery.machine_sample import CRASHED, REPORT, SEVERAL_GPUS, UNUSED_GPU
from tests.gui.conftest import Place


def page_with(window: Place, report: DoctorReport) -> MachinePage:
    window.desk.doctor.report = report
    window.open()
    page = window.shown.show_page(MACHINE)
    assert isinstance(page, MachinePage)
    return page


def titles(page: MachinePage) -> list[str]:
    return [card.accessibleName() for card in page.cards()]


def test_a_gpu_that_is_not_used_is_told_with_a_command_to_copy(window: Place) -> None:
    page = page_with(window, UNUSED_GPU)
    (notice,) = page.notices()
    assert "RTX 4070 found, driver 560.35.03 (CUDA 12.6); this engine build has no CUDA." in notice.accessibleName()
    assert notice.property("look") == "banner-warning"
    assert notice.copy_button is not None
    notice.copy_button.click()
    assert QGuiApplication.clipboard().text().startswith('CMAKE_ARGS="-DGGML_CUDA=on" python -m pip install ')
    assert notice.copy_button.accessibleName() == "The command is on the clipboard"
    assert page.words.text() == "The engine works here, but models run on the CPU: the GPU is not used."


def test_each_gpu_has_a_card_and_one_that_is_lost_does_not_hide_the_others(window: Place) -> None:
    page = page_with(window, SEVERAL_GPUS)
    assert titles(page) == [
        "Machine",
        "NVIDIA GeForce RTX 4090",
        "NVIDIA GeForce RTX 4090",
        "NVIDIA GeForce RTX 3090",
        "Engine",
        "Trial",
        "Quern",
    ]
    assert [dict(card.facts.facts())["Engine"] for card in page.cards()[1:4]] == [
        "used as CUDA0 (CUDA)",
        "used as CUDA1 (CUDA)",
        "not used",
    ]
    assert [notice.accessibleName() for notice in page.notices()] == [
        "NVIDIA GeForce RTX 3090 has fallen off the bus and no longer answers."
    ]
    assert page.words.text() == "The engine works here, but does not use everything that is there."


def test_an_engine_that_crashes_is_a_notice_and_not_a_crash(window: Place) -> None:
    page = page_with(window, CRASHED)
    (notice,) = page.notices()
    assert "crashed (SIGSEGV)" in notice.accessibleName()
    assert "update the driver" in notice.accessibleDescription()
    assert notice.copy_button is None
    assert page.words.text() == "The engine does not work here as it is."


def test_a_new_report_replaces_notices_and_cards(window: Place) -> None:
    page = page_with(window, UNUSED_GPU)
    window.desk.doctor.report = REPORT
    window.desk.doctor.changed.emit()
    assert page.notices() == ()
    assert titles(page) == ["Machine", "Engine", "Trial", "Quern"]
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert "this engine build has no CUDA" not in " ".join(label.text() for label in page.findChildren(QLabel))


@pytest.mark.parametrize("report", [SEVERAL_GPUS, REPORT])
def test_what_was_found_stands_in_one_column_on_all_cards(window: Place, report: DoctorReport) -> None:
    page = page_with(window, report)
    window.qtbot.wait(20)
    columns: set[int] = set()
    for card in page.cards():
        grid = card.facts.layout()
        assert isinstance(grid, QGridLayout)
        item = grid.itemAtPosition(0, 1)
        value = None if item is None else item.widget()
        assert value is not None
        columns.add(value.mapTo(page, QPoint(0, 0)).x())
    assert len(columns) == 1


def test_a_long_command_is_shown_whole_in_the_smallest_window(window: Place) -> None:
    page = page_with(window, UNUSED_GPU)
    window.shown.resize(SMALLEST_SIZE)
    window.qtbot.wait(20)
    (notice,) = page.notices()
    for label in notice.findChildren(QLabel):
        if label.text():
            assert label.height() >= label.heightForWidth(label.width())
            assert label.mapTo(page, QPoint(label.width(), 0)).x() <= page.width()
