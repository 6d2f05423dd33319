"""Models, Machine and Settings, driven as a person would."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from quern.gguf import NotGguf
from quern.gui.main_window import MACHINE, MODELS, SETTINGS
from quern.gui.pages.machine import MachinePage
from quern.gui.pages.models import ModelsPage
from quern.gui.pages.settings import SettingsPage
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
    window.qtbot.waitUntil(
        lambda: "safe mode: no extra buffers" in [label.text() for label in window.shown.status_bar.labels()]
    )
