"""What is said on top of a page or in a toast stays as long as it should, where it belongs, and no longer."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from quern.base import Recovery
from quern.chat import ConversationStore
from quern.gguf import NotGguf
from quern.gui.main_window import CHAT, MODELS
from quern.gui.pages.models import ModelsPage
from tests.gui.conftest import Place

CONTROL = Qt.KeyboardModifier.ControlModifier


def write_a_chat(store: ConversationStore) -> None:
    store.create(title="Yesterday")


def test_that_it_crashed_is_said_until_a_person_dismisses_it(window: Place) -> None:
    window.app.before_open = write_a_chat
    window.app.recovery = Recovery(kept_as=Path("/home/ada/quern.db.damaged"), restored_from=None)
    column = window.shown.chat.column
    window.shown.chat.say_crashed()
    window.open()
    window.qtbot.waitUntil(lambda: window.desk.chat.id is not None)
    window.say("Still here?")
    window.shown.chat.new_chat()
    window.qtbot.waitUntil(lambda: window.desk.chat.id is None)
    for banner, words in ((column.crash_banner, "ended unexpectedly"), (column.recovery_banner, "was damaged")):
        assert banner.isVisible()
        assert words in banner.accessibleName()
        banner.dismiss()
        assert banner.isHidden()


def test_a_toast_goes_when_its_deletion_was_undone_by_keys(window: Place) -> None:
    window.open()
    window.say("Keep me")
    ident = window.desk.chat.id
    assert ident is not None
    window.desk.conversations.delete(ident)
    window.qtbot.waitUntil(lambda: not window.shown.toast.isHidden())
    QTest.keyClick(window.shown, Qt.Key.Key_Z, CONTROL)
    assert window.shown.toast.isHidden()
    window.qtbot.waitUntil(lambda: window.desk.chat.id == ident)


def test_a_model_that_was_removed_can_be_added_again(window: Place) -> None:
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    window.shown.add_models([window.app.home.root / "Other.gguf"])
    window.qtbot.waitUntil(lambda: page.table.current_name() == "Other")
    page.detail.remove_button.click()
    window.qtbot.waitUntil(lambda: window.shown.toast.accessibleName() == "Other removed from the list")
    window.qtbot.waitUntil(lambda: window.desk.shelf.find("Other") is None)
    window.shown.toast.undo_button.click()
    window.qtbot.waitUntil(lambda: page.table.current_name() == "Other")


def test_a_file_that_is_refused_is_told_on_the_page_where_it_was_added(window: Place) -> None:
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    path = window.app.home.root / "page.html"
    window.app.library.refuse = NotGguf(path, "a web page")
    window.shown.add_models([path])
    window.qtbot.waitUntil(page.banner.isVisible)
    assert window.shown.chat.column.banner.isHidden()
    page.banner.dismiss()
    window.shown.show_page(CHAT)
    window.shown.add_models([path])
    window.qtbot.waitUntil(window.shown.chat.column.banner.isVisible)
    assert page.banner.isHidden()
