"""The keyboard: where the focus goes, where typed text goes, what Esc does, and what Tab reaches in which order."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from quern.gui.dialogs.shortcuts import ShortcutsDialog
from quern.gui.main_window import CHAT, MACHINE, MODELS, SETTINGS
from quern.gui.pages.machine import MachinePage
from quern.gui.pages.models import ModelsPage
from quern.gui.viewmodels.fit import FitPhase
from quern.gui.widgets.banner import BannerText, Tone
from quern.gui.widgets.tab_order import tab_stops
from tests.gallery.machine_sample import REPORT
from tests.gui.conftest import Place

SHIFT = Qt.KeyboardModifier.ShiftModifier


def focused(place: Place) -> QWidget | None:
    place.qtbot.wait(20)
    return QApplication.focusWidget()


def test_escape_stops_the_reply_from_the_transcript_and_from_a_button(window: Place) -> None:
    window.open()
    column = window.shown.chat.column
    for widget in (
        lambda: column.transcript.browser,
        lambda: column.options_button,
        lambda: window.shown.chat.list.view,
    ):
        window.begin("Talk")
        widget().setFocus()
        QTest.keyClick(widget(), Qt.Key.Key_Escape)
        window.qtbot.waitUntil(lambda: not window.desk.outbox.is_running)
        assert window.desk.chat.messages[-1].state == "stopped"


def test_stop_by_mouse_leaves_the_focus_in_the_composer(window: Place) -> None:
    window.open()
    composer = window.shown.chat.column.composer
    window.begin("Talk")
    QTest.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    window.qtbot.waitUntil(lambda: not window.desk.outbox.is_running)
    assert focused(window) is composer.edit


@pytest.mark.parametrize("name", ["regenerate", "delete", "sibling", "jump"])
def test_what_was_done_in_the_transcript_leaves_the_focus_in_the_composer(window: Place, name: str) -> None:
    window.open()
    window.say("Talk")
    column = window.shown.chat.column
    last = window.desk.chat.messages[-1].id
    column.transcript.browser.setFocus()
    match name:
        case "regenerate":
            column.transcript.regenerate_requested.emit(last)
        case "delete":
            column.transcript.delete_requested.emit(last)
        case "sibling":
            column.transcript.sibling_requested.emit(last, 1)
        case _:
            column.transcript.overlay.jump_asked.emit()
    assert focused(window) is column.composer.edit
    window.qtbot.waitUntil(lambda: not window.desk.outbox.is_running)


def test_text_typed_over_the_transcript_goes_to_the_composer(window: Place) -> None:
    window.open()
    window.say("Talk")
    column = window.shown.chat.column
    column.transcript.browser.setFocus()
    QTest.keyClicks(column.transcript.browser, "H", SHIFT)
    QTest.keyClicks(column.composer.edit, "i!")
    assert column.composer.text == "Hi!"
    column.transcript.browser.setFocus()
    QTest.keyClick(column.transcript.browser, Qt.Key.Key_Space)
    assert column.composer.text == "Hi!"
    assert column.transcript.browser.hasFocus()


def test_a_button_that_is_disabled_hands_the_focus_to_its_own_page(window: Place) -> None:
    window.desk.doctor.report = REPORT
    window.open()
    page = window.shown.show_page(MACHINE)
    assert isinstance(page, MachinePage)
    page.examine_button.setFocus()
    page.examine_button.setEnabled(False)
    heir = focused(window)
    assert heir is not None
    assert page.isAncestorOf(heir)


def test_a_button_that_is_hidden_hands_the_focus_to_its_own_page(window: Place) -> None:
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    window.shown.add_models([window.app.home.root / "Other.gguf"])
    window.qtbot.waitUntil(lambda: page.table.current_name() == "Other" and page.detail.remove_button.isVisible())
    page.detail.remove_button.setFocus()
    page.detail.remove_button.click()
    window.qtbot.waitUntil(page.detail.remove_button.isHidden)
    assert focused(window) is page.table


def test_a_toast_that_goes_leaves_the_focus_on_the_page(window: Place) -> None:
    window.open()
    window.shown.toast.offer_undo("Deleted")
    window.shown.toast.undo_button.setFocus()
    window.shown.toast.undo_button.click()
    assert focused(window) is window.shown.chat.column.composer.edit


def tab_walk(first: QWidget) -> list[QWidget]:
    """Press Tab from `first` until it comes around; return where it stopped."""
    first.setFocus()
    walked: list[QWidget] = []
    while (focus := QApplication.focusWidget()) is not None and focus not in walked:
        walked.append(focus)
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is first
    return walked


def test_tab_goes_through_the_chat_page_as_it_is_seen(window: Place) -> None:
    window.open()
    window.say("Talk")
    for index in (MODELS, SETTINGS, CHAT):
        window.shown.show_page(index)
    page, column = window.shown.chat, window.shown.chat.column
    column.options_button.click()
    column.banner.say(
        BannerText(Tone.ERROR, "It broke.", "Mend it.", (("retry", "Try again"), ("new_chat", "New chat")))
    )
    column.composer.edit.setPlainText("so that Send is enabled")
    walked = tab_walk(column.composer.edit)
    panel = page.options
    assert walked[:4] == [column.composer.edit, column.composer.button, column.options_button, panel.system_prompt]
    wanted: list[QWidget] = [
        panel.system_prompt,
        panel.sampling.editors["temperature"].control,
        panel.sampling.stop,
        window.shown.status_bar.shield,
        window.shown.rail.button(CHAT),
        column.list_button,
        column.picker.button,
        *column.banner.buttons(),
        column.transcript.browser,
    ]
    assert [widget for widget in walked if widget in wanted] == wanted
    missed = [stop for stop in tab_stops(page) if stop.isVisible() and stop.isEnabled() and stop not in walked]
    assert missed == []


def test_tab_goes_through_the_models_page_as_it_is_seen(window: Place) -> None:
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    detail = page.detail
    window.qtbot.waitUntil(lambda: window.desk.fitter.phase is FitPhase.READY)
    walked = tab_walk(page.table)
    panel = detail.fit
    seen: list[QWidget] = [page.table, detail.load_button, detail.fit_group.heading]
    seen += [panel.devices.bars()[0], panel.form.context.box, panel.form.context.slider]
    seen += [panel.form.requests.box, panel.form.requests.slider, panel.form.kv_type.list]
    assert walked[: len(seen)] == seen
    later = [*panel.goals.buttons.values(), panel.goals.users, panel.goals.consent, detail.facts_group.heading]
    later += [detail.template_button, detail.reveal_button]
    assert [widget for widget in walked if widget in later] == later
    status, rail = window.shown.status_bar.shield, window.shown.rail.button(MODELS)
    assert walked.index(status) < walked.index(rail) < walked.index(page.add_button) == len(walked) - 1


def test_down_and_enter_lead_from_the_search_to_its_results(window: Place) -> None:
    window.open()
    window.say("The mill by the river")
    found = window.desk.chat.id
    window.shown.chat.new_chat()
    window.say("Something else")
    search, view = window.shown.chat.list.search, window.shown.chat.list.view
    search.setFocus()
    QTest.keyClicks(search, "mill")
    QTest.keyClick(search, Qt.Key.Key_Return)
    window.qtbot.waitUntil(lambda: window.desk.chat.id == found)
    assert len(window.desk.conversations.hits) > 1
    rows = [window.shown.chat.list.model.row_at(window.shown.chat.list.model.index(n)) for n in range(5)]
    assert len([row for row in rows if row is not None]) == 2
    search.setFocus()
    QTest.keyClick(search, Qt.Key.Key_Down)
    assert view.hasFocus()
    search.setFocus()
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert search.text() == ""
    window.qtbot.waitUntil(lambda: window.desk.conversations.query == "")


def test_f1_lists_the_keys_that_there_are(window: Place) -> None:
    window.desk.doctor.report = REPORT
    window.open()
    QTest.keyClick(window.shown, Qt.Key.Key_F1)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, ShortcutsDialog)
    shown = {title: dict(facts) for title, facts in dialog.groups}
    assert shown["Everywhere"]["Machine"] == "Ctrl+3"
    assert shown["Everywhere"]["This list"] == "F1, Ctrl+/"
    assert shown["Chat"]["New chat"] == "Ctrl+N"
    assert shown["Models"]["Add a model file"] == "Ctrl+O"
    assert shown["Machine"]["Copy report"] == "Ctrl+Shift+C"
    assert shown["Settings"]["Search settings"] == "Ctrl+F"
    assert window.shown.stack.currentWidget() is window.shown.chat
    dialog.close()


def test_a_click_on_a_closing_button_of_a_banner_keeps_the_page(window: Place) -> None:
    window.open()
    banner = window.shown.chat.column.banner
    banner.say(BannerText(Tone.ERROR, "It broke.", "", (("retry", "Try again"),)))
    button = banner.buttons()[0]
    assert isinstance(button, QPushButton)
    button.setFocus()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(4, 4))
    assert focused(window) is window.shown.chat.column.composer.edit
