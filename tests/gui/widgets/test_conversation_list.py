"""The conversation list: days, renaming in place, menus, and what the screen reader says."""

from datetime import date, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from quern.gui.widgets.conversation_group import ConversationItem, Heading, day_name, grouped, ungrouped
from quern.gui.widgets.conversation_list import ConversationList
from tests.gui.ear import Ear

TODAY = date(2026, 12, 1)


def item(ident: int, days: int = 0, **changes: object) -> ConversationItem:
    moment = datetime(2026, 12, 1, 12) - timedelta(days=days)
    fields: dict[str, object] = {"id": ident, "title": f"Chat {ident}", "updated_at": moment.timestamp()}
    return ConversationItem(**(fields | changes))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("days", "name"),
    [(0, "Today"), (-3, "Today"), (1, "Yesterday"), (6, "Last 7 days"), (29, "Last 30 days"), (31, "October 2026")],
)
def test_days_have_the_names_that_people_use(days: int, name: str) -> None:
    """DB-14: a clock that was set back shows no day of the future."""
    assert day_name(TODAY - timedelta(days=days), TODAY) == name


def test_pinned_chats_come_first_and_only_once() -> None:
    rows = grouped([item(1), item(2, is_pinned=True), item(3, days=1)], TODAY)
    names = [row.text if isinstance(row, Heading) else row.id for row in rows]
    assert names == ["Pinned", 2, "Today", 1, "Yesterday", 3]


def test_no_chats_and_no_results_are_said() -> None:
    assert grouped([], TODAY) == (Heading("No chats yet"),)
    assert ungrouped([]) == (Heading("Nothing found"),)
    assert ungrouped([item(1), item(2)])[0] == Heading("2 results")


@pytest.fixture
def view(qtbot: QtBot) -> ConversationList:
    view = ConversationList()
    qtbot.addWidget(view)
    view.show_conversations([item(1), item(2), item(3, is_running=True)], 1)
    view.show()
    return view


def test_choosing_by_program_says_nothing_and_by_key_opens(view: ConversationList, qtbot: QtBot) -> None:
    opened = Ear(view.opened)
    view.choose(2)
    assert opened.heard == []
    with qtbot.waitSignal(view.opened):
        QTest.keyClick(view.view, Qt.Key.Key_Down)
    assert opened.firsts == [3]


def test_f2_renames_in_place(view: ConversationList, qtbot: QtBot) -> None:
    view.choose(2)
    view.rename_current()
    editor = view.view.findChild(QLineEdit)
    assert editor is not None
    editor.setText("  A new name ")
    renamed = Ear(view.renamed)
    with qtbot.waitSignal(view.renamed):
        QTest.keyClick(editor, Qt.Key.Key_Return)
    assert renamed.last == (2, "A new name")


def test_delete_asks_for_the_chosen_chat(view: ConversationList, qtbot: QtBot) -> None:
    view.choose(2)
    deleted = Ear(view.deleted)
    with qtbot.waitSignal(view.deleted):
        QTest.keyClick(view.view, Qt.Key.Key_Delete)
    assert deleted.last == (2,)


def test_the_menu_does_what_it_says(view: ConversationList, qtbot: QtBot) -> None:
    menu = view.menu_for(item(2, is_pinned=True))
    titles = [action.text() for action in menu.actions()]
    assert titles == ["Rename", "Unpin", "Delete"]
    with qtbot.waitSignal(view.pin_toggled):
        menu.actions()[1].trigger()
    with qtbot.waitSignal(view.deleted):
        menu.actions()[2].trigger()


def test_a_row_tells_the_screen_reader_its_state(view: ConversationList) -> None:
    index = view.model.index_of(3)
    assert view.model.data(index, Qt.ItemDataRole.AccessibleTextRole) == "Chat 3, replying"


def test_a_title_of_ten_thousand_letters_is_one_line(view: ConversationList) -> None:
    view.show_conversations([item(1, title="long\n" * 2000)], None)
    assert view.view.visualRect(view.model.index_of(1)).height() < 60
    assert not view.grab().isNull()


def test_search_is_told_after_a_pause(view: ConversationList, qtbot: QtBot) -> None:
    searched = Ear(view.searched)
    with qtbot.waitSignal(view.searched):
        QTest.keyClicks(view.search, "mill ")
    assert searched.last == ("mill",)
