"""The window, driven as a person would: typing, keys, pages, and nothing that cannot be reached without a mouse."""

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from quern.base import DiskFull
from quern.gui.dialogs.link import LinkDialog, is_openable
from quern.gui.main_window import CHAT, MACHINE, MODELS, SETTINGS
from quern.gui.pages.machine import MachinePage
from quern.gui.pages.models import ModelsPage
from quern.gui.pages.settings import SettingsPage
from quern.gui.widgets.composer import ComposerState
from tests.gallery.machine_sample import REPORT

from .conftest import Place
from .stand_in import model_entry

CONTROL = Qt.KeyboardModifier.ControlModifier


def press(place: Place, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(QApplication.focusWidget() or place.shown, key, modifier)


def type_and_send(place: Place, text: str) -> None:
    edit = place.shown.chat.column.composer.edit
    edit.setFocus()
    QTest.keyClicks(edit, text)
    QTest.keyClick(edit, Qt.Key.Key_Return)


def test_a_newcomer_types_at_once_and_is_answered(window: Place) -> None:
    edit = window.shown.chat.column.composer.edit
    window.qtbot.waitUntil(edit.hasFocus)
    window.app.residency.hold.clear()
    window.desk.start()
    type_and_send(window, "Good morning")
    column = window.shown.chat.column
    window.qtbot.waitUntil(lambda: window.desk.outbox.held is not None)
    assert "as soon as the model is loaded" in column.composer.note.whole_text
    assert column.composer.text == "Good morning"
    window.app.residency.hold.set()
    window.qtbot.waitUntil(lambda: len(window.desk.chat.messages) == 2 and not window.desk.outbox.is_running)
    assert column.composer.text == ""
    assert column.stack.currentWidget() is column.transcript
    window.qtbot.waitUntil(lambda: column.transcript.text_of(window.desk.chat.messages[1].id) == "Hello there.")
    assert column.picker.button.text() == "SmolLM2-135M-Instruct Q4_1"


def test_escape_stops_the_reply(window: Place) -> None:
    window.open()
    window.app.script.pause_after = 1
    type_and_send(window, "Talk")
    window.qtbot.waitUntil(lambda: window.desk.chat.is_running)
    press(window, Qt.Key.Key_Escape)
    window.qtbot.waitUntil(lambda: not window.desk.outbox.is_running)
    assert window.desk.chat.messages[-1].state == "stopped"


def test_a_double_click_on_send_sends_once(window: Place) -> None:
    """UI-10: double-click Send."""
    window.open()
    column = window.shown.chat.column
    QTest.keyClicks(column.composer.edit, "Once")
    QTest.mouseClick(column.composer.button, Qt.MouseButton.LeftButton)
    QTest.mouseDClick(column.composer.button, Qt.MouseButton.LeftButton)
    window.qtbot.waitUntil(lambda: bool(window.desk.chat.messages) and not window.desk.outbox.is_running)
    assert len(window.app.engine.requests) == 1


def test_control_n_begins_a_new_chat(window: Place) -> None:
    window.open()
    type_and_send(window, "One")
    window.qtbot.waitUntil(lambda: len(window.desk.chat.messages) == 2 and not window.desk.outbox.is_running)
    press(window, Qt.Key.Key_N, CONTROL)
    window.qtbot.waitUntil(lambda: window.desk.chat.id is None)
    column = window.shown.chat.column
    assert column.stack.currentWidget() is column.greeting
    assert column.composer.edit.hasFocus()


def test_a_deleted_chat_comes_back_with_control_z(window: Place) -> None:
    window.open()
    type_and_send(window, "Keep me")
    window.qtbot.waitUntil(lambda: bool(window.desk.conversations.summaries) and not window.desk.outbox.is_running)
    ident = window.desk.chat.id
    assert ident is not None
    window.shown.chat.list.deleted.emit(ident)
    window.qtbot.waitUntil(lambda: not window.shown.toast.isHidden())
    assert window.desk.conversations.summaries == ()
    window.shown.toast.undo_button.click()
    window.qtbot.waitUntil(lambda: window.desk.chat.id == ident)


def test_pages_open_by_keys_and_are_built_once(window: Place) -> None:
    window.open()
    pages: list[QWidget | None] = []
    for key, kind in ((Qt.Key.Key_2, ModelsPage), (Qt.Key.Key_3, MachinePage), (Qt.Key.Key_4, SettingsPage)):
        press(window, key, CONTROL)
        pages.append(window.shown.stack.currentWidget())
        assert isinstance(pages[-1], kind)
    assert window.shown.show_page(MODELS) is pages[0]
    press(window, Qt.Key.Key_1, CONTROL)
    assert window.shown.stack.currentWidget() is window.shown.chat
    window.qtbot.waitUntil(lambda: not window.desk.doctor.is_running, timeout=60_000)


def test_every_control_has_a_name_and_can_be_reached_by_keys(window: Place) -> None:
    window.desk.doctor.report = REPORT
    window.open()
    for index in (CHAT, MODELS, MACHINE, SETTINGS):
        window.shown.show_page(index)
    kinds = (QAbstractButton, QLineEdit, QPlainTextEdit, QTextEdit)
    controls = [c for c in window.shown.findChildren(QWidget) if isinstance(c, kinds) and "qt_" not in c.objectName()]
    assert len(controls) > 60
    nameless = [c for c in controls if not (c.accessibleName() or getattr(c, "text", str)())]
    nameless = [c for c in nameless if not isinstance(c.parent(), QLineEdit) and c.focusProxy() is None]
    assert [f"{type(c).__name__} in {type(c.parent()).__name__}" for c in nameless if not is_inner(c)] == []
    mouse_only = [c.accessibleName() for c in controls if c.focusPolicy() is Qt.FocusPolicy.NoFocus and not is_inner(c)]
    assert mouse_only == []
    window.qtbot.waitUntil(lambda: not window.desk.doctor.is_running, timeout=60_000)


def is_inner(control: QWidget) -> bool:
    """Whether Qt made it as part of another control, or it belongs to the transcript."""
    parents: list[str] = []
    parent = control.parentWidget()
    while parent is not None:
        parents.append(type(parent).__name__)
        parent = parent.parentWidget()
    return (
        parents[0] in ("QTableView", "ModelTable", "NumberBox", "QLineEdit", "ChoiceBox") or "TranscriptView" in parents
    )


def test_without_any_model_the_page_offers_both_ways(window: Place) -> None:
    window.app.library.entries = []
    window.open()
    column = window.shown.chat.column
    window.qtbot.waitUntil(lambda: column.stack.currentWidget() is column.no_model)
    assert column.download_button.isVisible()
    assert column.add_button.isVisible()
    assert not column.composer.isVisible()
    window.app.library.entries = [model_entry()]
    window.desk.shelf.refresh()
    window.qtbot.waitUntil(lambda: window.desk.shelf.resident is not None)
    assert column.composer.isVisible()


def test_a_banner_offers_to_try_again_and_it_works(window: Place) -> None:
    window.app.storage_error = DiskFull(window.app.home.database)
    window.desk.start()
    banner = window.shown.chat.column.banner
    window.qtbot.waitUntil(lambda: not banner.isHidden())
    window.app.storage_error = None
    banner.buttons()[0].click()
    window.qtbot.waitUntil(lambda: window.desk.is_open)


def test_an_overflow_offers_a_new_chat_and_a_larger_context(window: Place) -> None:
    window.open()
    column = window.shown.chat.column
    column.composer.edit.setPlainText("word " * 5000)
    window.qtbot.waitUntil(lambda: "too long" in column.composer.note.whole_text)
    QTest.keyClick(column.composer.edit, Qt.Key.Key_Return)
    window.qtbot.waitUntil(lambda: not column.banner.isHidden())
    assert [button.text() for button in column.banner.buttons()] == ["New chat", "Larger context…"]
    column.banner.buttons()[1].click()
    page = window.shown.stack.currentWidget()
    assert isinstance(page, SettingsPage)
    assert page.rows["load.n_ctx_cells"].editor.control.hasFocus()


def test_an_old_message_is_edited_in_the_composer(window: Place) -> None:
    window.open()
    type_and_send(window, "First words")
    window.qtbot.waitUntil(lambda: len(window.desk.chat.messages) == 2 and not window.desk.outbox.is_running)
    column = window.shown.chat.column
    column.transcript.edit_requested.emit(window.desk.chat.messages[0].id)
    assert column.composer.text == "First words"
    column.composer.edit.setPlainText("Better words")
    QTest.keyClick(column.composer.edit, Qt.Key.Key_Return)
    window.qtbot.waitUntil(lambda: window.desk.chat.messages[0].content == "Better words")
    window.qtbot.waitUntil(lambda: column.composer.text == "" and not column.composer.is_editing)
    window.qtbot.waitUntil(lambda: not window.desk.outbox.is_running)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "smb://host/x", "ms-settings:x", "x"])
def test_other_links_are_never_opened(address: str) -> None:
    """UI-03: only http, https and mailto."""
    assert not is_openable(address)


def test_a_link_opens_only_after_its_address_was_shown(window: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """UI-03: the address is shown first, letters that look alike in punycode."""
    opened: list[str] = []

    def open_url(url: QUrl) -> None:
        opened.append(url.toString())

    monkeypatch.setattr("quern.gui.dialogs.link.QDesktopServices.openUrl", open_url)
    window.open()
    transcript = window.shown.chat.column.transcript
    transcript.link_activated.emit("https://ехаmple.org/path?q=1")
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, LinkDialog)
    assert "xn--" in dialog.address.toPlainText()
    dialog.cancel_button.click()
    assert opened == []
    transcript.link_activated.emit("https://example.org/")
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, LinkDialog)
    dialog.open_button.click()
    assert opened == ["https://example.org/"]
    transcript.link_activated.emit("file:///etc/passwd")
    window.qtbot.wait(10)
    assert QApplication.activeModalWidget() is None


def test_the_composer_says_that_the_model_is_loading(window: Place) -> None:
    window.app.residency.hold.clear()
    window.desk.start()
    window.qtbot.waitUntil(lambda: window.desk.shelf.is_loading)
    column = window.shown.chat.column
    assert not column.picker.cancel_button.isHidden()
    assert "you can write already" in column.composer.note.whole_text
    column.composer.show_state(ComposerState.READY)
    column.picker.cancel_button.click()
    window.qtbot.waitUntil(lambda: not window.desk.shelf.is_loading)
    assert column.picker.cancel_button.isHidden()
