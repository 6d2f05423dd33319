"""A whole launch: painted first, then storage opens; options, download and crashes as a person meets them."""

import gc
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from quern.base import Job
from quern.gui.application import LaunchOptions, run
from quern.gui.main_window import MainWindow
from quern.models import DownloadFailed
from quern.spec import SamplingParams

from .conftest import Place
from .stand_in import StandInApp, model_entry


def test_a_launch_paints_before_it_opens_anything(app: StandInApp, qapp: QApplication) -> None:
    del qapp
    seen: list[str] = []

    def with_window(window: MainWindow) -> None:
        seen.append("window" if window.isVisible() and not hasattr(app, "database") else "too early")
        seen.append(window.chat.column.crash_banner.accessibleName())
        QTimer.singleShot(400, window.close)

    options = LaunchOptions(on_window=with_window, after_first_paint=lambda: seen.append("painted"), was_restored=True)
    assert run(app.as_app, options) == 0
    gc.disable()
    assert seen == ["window", "Quern ended unexpectedly and was started again.", "painted"]
    assert app.residency.loaded[0][0] == "SmolLM2-135M-Instruct Q4_1"


def test_options_are_changed_and_reset_in_the_panel(window: Place) -> None:
    window.open()
    window.say("Hello")
    window.shown.chat.column.options_button.setChecked(True)
    panel = window.shown.chat.options
    assert dict(panel.figures.facts())["Speed"] == "41.6 tokens/s"
    panel.system_prompt.setPlainText("Be brief.")
    panel.flush()
    panel.sampling.changed.emit(SamplingParams(temperature=0.2))
    window.qtbot.waitUntil(lambda: window.desk.options.own_sampling is not None)
    window.qtbot.waitUntil(lambda: window.desk.options.system_prompt == "Be brief.")
    assert panel.sampling.params().temperature == 0.2
    panel.sampling.reset_button.click()
    window.qtbot.waitUntil(lambda: window.desk.options.own_sampling is None)
    window.qtbot.waitUntil(lambda: panel.sampling.params().temperature == SamplingParams().temperature)


def test_the_list_makes_way_for_the_options_in_a_narrow_window(window: Place) -> None:
    window.open()
    page = window.shown.chat
    window.shown.resize(760, 600)
    page.column.options_button.setChecked(True)
    assert not page.list.isVisible()
    page.column.list_button.click()
    assert page.list.isVisible()
    assert not page.options.isVisible()


def test_find_says_when_there_is_nothing(window: Place) -> None:
    window.open()
    window.say("Hello")
    bar = window.shown.chat.column.find_bar
    bar.open_bar()
    QTest.keyClicks(bar.field, "there")
    bar.next_button.click()
    assert bar.result.text() == ""
    bar.field.setText("nowhere")
    bar.previous_button.click()
    assert bar.result.text() == "Not found"
    bar.close_bar()
    assert not bar.isVisible()


def test_the_starter_model_is_downloaded_and_loaded(window: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def download(_file: object, folder: Path, job: Job[Path]) -> Path:
        tries.append(len(tries))
        job.report(50.0, 100.0, "downloading")
        if len(tries) == 1:
            raise DownloadFailed("starter", "the connection ended")
        window.app.library.entries = [model_entry()]
        return folder / "starter.gguf"

    monkeypatch.setattr("quern.models.download.download_model", download)
    window.app.library.entries = []
    window.open()
    column = window.shown.chat.column
    window.qtbot.waitUntil(column.download_button.isVisible)
    column.download_button.click()
    window.qtbot.waitUntil(lambda: not column.banner.isHidden())
    column.banner.buttons()[0].click()
    window.qtbot.waitUntil(lambda: window.desk.shelf.resident is not None)
    assert tries == [0, 1]
    assert column.composer.isVisible()


def test_a_model_without_a_template_is_given_one_by_a_button(window: Place, qtbot: QtBot) -> None:
    """TM-13: a model without a template."""
    window.app.residency.template = None
    window.open()
    column = window.shown.chat.column
    column.composer.edit.setPlainText("Hello?")
    column.composer.edit.submitted.emit()
    assert [button.text() for button in column.banner.buttons()][:2] == ["Use “chatml”", "Use “plain”"]
    column.banner.buttons()[0].click()
    qtbot.waitUntil(lambda: len(window.desk.chat.messages) == 2 and not window.desk.outbox.is_running)
    assert column.composer.text == ""
