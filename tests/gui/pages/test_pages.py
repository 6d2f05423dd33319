"""Models, Machine and Settings, driven as a person would."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import QApplication, QLabel

from quern.gguf import NotGguf
from quern.gui.main_window import MACHINE, MODELS, SETTINGS
from quern.gui.pages.machine import MachinePage
from quern.gui.pages.models import ModelsPage
from quern.gui.pages.settings import SettingsPage
from quern.gui.widgets.model_rows import NAME, SIZE
from quern.models import Origin
from tests.gallery.machine_sample import REPORT
from tests.gui.conftest import Place
from tests.gui.stand_in import model_entry


def test_bad_files_are_refused_with_a_reason(window: Place) -> None:
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    path = window.app.home.root / "page.html"
    window.app.library.refuse = NotGguf(path, "a web page")
    window.shown.add_models([path])
    window.qtbot.waitUntil(lambda: not page.banner.isHidden())
    assert "web page" in page.banner.accessibleName()


def test_an_added_model_can_be_loaded_and_removed(window: Place) -> None:
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    window.shown.add_models([window.app.home.root / "Other.gguf"])
    window.qtbot.waitUntil(lambda: window.desk.shelf.find("Other") is not None)
    page.table.choose("Other")
    assert page.detail.remove_button.isVisible()
    page.detail.load_button.click()
    window.qtbot.waitUntil(lambda: (r := window.desk.shelf.resident) is not None and r.entry.name == "Other")
    assert window.shown.stack.currentWidget() is window.shown.chat
    window.shown.show_page(MODELS)
    page.detail.remove_button.click()
    window.qtbot.waitUntil(lambda: window.desk.shelf.find("Other") is None)


def test_the_template_of_a_model_can_be_read_as_it_is(window: Place) -> None:
    """TM-14: the template is viewable, marks and all."""
    source = "{% if 'login' in messages[0].content %}<b>hidden</b>{% endif %}"
    facts = model_entry().facts
    assert facts is not None
    window.app.library.entries = [model_entry(facts=replace(facts, chat_templates={"default": source}))]
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    page.detail.template_button.click()
    dialog = QApplication.activeModalWidget()
    assert dialog is not None
    assert dialog.box.toPlainText() == source  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    dialog.close()


def test_a_problem_row_says_why_and_cannot_be_loaded(window: Place) -> None:
    problem = NotGguf(window.app.home.root / "x.gguf", "a web page")
    window.app.library.entries.append(model_entry("broken", facts=None, problem=problem, origin=Origin.OWN_FOLDER))
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    page.table.choose("broken")
    assert "web page" in page.detail.problem.text()
    assert not page.detail.load_button.isEnabled()


def test_the_machine_page_shows_and_copies_the_report(window: Place) -> None:
    window.desk.doctor.report = REPORT
    window.open()
    page = window.shown.show_page(MACHINE)
    assert isinstance(page, MachinePage)
    text = "\n".join(f"{name} {value}" for card in page.cards() for name, value in card.facts.facts())
    assert "AVX512F" in text
    assert "SIGSEGV" in text
    page.copy_button.click()
    assert "SIGSEGV" in QGuiApplication.clipboard().text()
    assert str(Path.home()) not in QGuiApplication.clipboard().text()


def test_settings_are_searched_changed_and_reset(window: Place) -> None:
    window.open()
    page = window.shown.show_page(SETTINGS)
    assert isinstance(page, SettingsPage)
    page.search.setText("penalty")
    assert set(page.visible_keys()) >= {"sampling.repeat_penalty", "sampling.presence_penalty"}
    assert "appearance.theme" not in page.visible_keys()
    row = page.rows["sampling.repeat_penalty"]
    row.editor.control.setValue(1.5)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    window.qtbot.waitUntil(lambda: window.app.settings.current.get("sampling.repeat_penalty") == 1.5)
    window.qtbot.waitUntil(lambda: not row.reset_button.isHidden())
    assert window.desk.options.sampling.repeat_penalty == 1.5
    row.reset_button.click()
    window.qtbot.waitUntil(lambda: window.app.settings.current.get("sampling.repeat_penalty") == 1.0)


def test_offline_is_shown_in_the_status_bar_as_soon_as_it_is_chosen(window: Place) -> None:
    window.open()
    window.desk.preferences.change("network.offline", True)
    window.qtbot.waitUntil(lambda: window.shown.status_bar.shield.accessibleName().startswith("Offline"))
    window.desk.preferences.change("network.offline", False)
    window.qtbot.waitUntil(lambda: not window.desk.is_offline)


def test_the_status_bar_names_the_safer_rung(window: Place) -> None:
    window.open()
    window.qtbot.waitUntil(lambda: "safe mode" in [label.text() for label in window.shown.status_bar.labels()])
    caution = window.shown.status_bar.caution
    assert "crashed in the trial, so Quern runs without them" in caution.toolTip()
    window.desk.doctor.report = REPORT
    caution.click()
    assert isinstance(window.shown.stack.currentWidget(), MachinePage)


def test_offline_that_the_environment_forces_is_shown_and_explained(
    window: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUERN_OFFLINE", "1")
    window.open()
    page = window.shown.show_page(SETTINGS)
    assert isinstance(page, SettingsPage)
    row = page.rows["network.offline"]
    assert row.editor.value() is True
    assert not row.editor.control.isEnabled()
    assert "Set by QUERN_OFFLINE." in [label.text() for label in row.findChildren(QLabel) if label.isVisible()]
    window.desk.preferences.change("sampling.top_k", 7)
    window.qtbot.waitUntil(lambda: window.desk.preferences.current.get("sampling.top_k") == 7)
    assert row.editor.value() is True


def network_line(page: MachinePage) -> str:
    facts = dict(fact for card in page.cards() for fact in card.facts.facts())
    return facts["Network"]


def test_the_machine_page_follows_the_offline_switch_at_once(window: Place) -> None:
    window.desk.doctor.report = replace(REPORT, is_offline=False)
    window.open()
    page = window.shown.show_page(MACHINE)
    assert isinstance(page, MachinePage)
    assert network_line(page) == "allowed"
    window.desk.preferences.change("network.offline", True)
    window.qtbot.waitUntil(lambda: network_line(page).startswith("offline"))
    window.desk.preferences.change("network.offline", False)
    window.qtbot.waitUntil(lambda: network_line(page) == "allowed")


def test_without_a_model_the_machine_page_does_not_say_that_everything_works(window: Place) -> None:
    window.desk.doctor.report = replace(REPORT, trial=None)
    page = window.shown.show_page(MACHINE)
    assert isinstance(page, MachinePage)
    assert "Everything" not in page.words.text()
    assert "no model" in page.words.text()


def test_memory_is_shown_when_it_is_known(window: Place) -> None:
    assert not [label.text() for label in window.shown.status_bar.labels() if "used" in label.text()]
    window.desk.meter.measure()
    window.qtbot.waitUntil(lambda: any("used" in label.text() for label in window.shown.status_bar.labels()))
    assert not any(label.text().startswith("0 B") for label in window.shown.status_bar.labels())


def test_an_added_model_is_chosen_and_the_loaded_one_says_so(window: Place) -> None:
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    assert page.detail.load_button.text() == "Loaded: go to the chat"
    n_loads = len(window.app.residency.loaded)
    page.detail.load_button.click()
    assert window.shown.stack.currentWidget() is window.shown.chat
    assert len(window.app.residency.loaded) == n_loads
    window.shown.show_page(MODELS)
    window.shown.add_models([window.app.home.root / "Zebra.gguf"])
    window.qtbot.waitUntil(lambda: page.table.current_name() == "Zebra")
    assert page.detail.load_button.text() == "Load and chat"


def test_titles_stand_over_their_columns(window: Place) -> None:
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    window.qtbot.wait(50)
    table = page.table
    table.sortByColumn(SIZE, Qt.SortOrder.AscendingOrder)
    table.clearSelection()
    table.clearFocus()
    window.qtbot.wait(20)
    left = table.columnViewportPosition(NAME) + 1
    title = first_ink(
        table.horizontalHeader().viewport().grab(QRect(left, 0, 60, table.horizontalHeader().height() - 3))
    )
    cell = first_ink(table.viewport().grab(QRect(left, 0, 60, table.rowHeight(0) - 3)))
    assert abs(title - cell) <= 1


def first_ink(pixmap: QPixmap) -> int:
    """Return the first column of pixels that is not all background."""
    image = pixmap.toImage()
    ground = image.pixel(0, 0)
    columns = (x for x in range(image.width()) if any(image.pixel(x, y) != ground for y in range(image.height())))
    return next(columns)


def test_the_empty_models_page_offers_the_download(window: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def download(*_arguments: object) -> None:
        asked.append(True)

    monkeypatch.setattr("quern.models.download_model", download)
    window.app.library.entries = []
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    assert page.download_button.isVisible()
    assert page.download_button.hasFocus()
    page.download_button.click()
    assert page.download_progress.isVisible()
    window.qtbot.waitUntil(lambda: asked == [True] and not window.desk.download.is_running)
    assert page.download_button.isVisible()
