"""The composer: Enter sends, Shift+Enter breaks the line, it grows to eight lines, and it never loses text."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from quern.gui.widgets.composer import Composer, ComposerState, TokenCount
from quern.gui.widgets.composer_edit import MAX_LINES
from tests.gui.ear import Ear


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    composer = Composer()
    qtbot.addWidget(composer)
    composer.resize(500, 120)
    composer.show()
    return composer


def test_enter_sends_and_the_text_stays_until_it_is_on_its_way(composer: Composer, qtbot: QtBot) -> None:
    sent = Ear(composer.sent)
    with qtbot.waitSignal(composer.sent):
        QTest.keyClicks(composer.edit, "Hello")
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent.last == ("Hello",)
    assert composer.text == "Hello"
    composer.accept("Hello")
    assert composer.text == ""


def test_what_is_typed_after_a_message_was_sent_stays(composer: Composer) -> None:
    drafts = Ear(composer.drafted)
    composer.show_draft("Say hello, then more")
    composer.accept("Say hello")
    assert composer.text == ", then more"
    assert drafts.last == (", then more",)
    composer.show_draft("quite another text")
    composer.accept("Say hello")
    assert composer.text == "quite another text"


def test_a_message_that_goes_out_during_an_edit_leaves_the_edit_alone(composer: Composer) -> None:
    composer.show_draft("Say hello, then more")
    composer.begin_edit("an old message")
    composer.accept("Say hello")
    assert composer.text == "an old message"
    composer.end_edit()
    assert composer.text == ", then more"


def test_what_comes_back_is_put_in_front(composer: Composer) -> None:
    composer.show_draft("typed since")
    composer.put_in_front("refused")
    assert composer.text == "refused\ntyped since"


def test_a_draft_that_is_read_during_an_edit_waits_for_its_end(composer: Composer, qtbot: QtBot) -> None:
    composer.begin_edit("an old message")
    composer.show_draft("a draft")
    assert composer.text == "an old message"
    with qtbot.waitSignal(composer.edit_given_up):
        composer.end_edit()
    assert composer.text == "a draft"


def test_shift_enter_breaks_the_line(composer: Composer) -> None:
    sent: list[str] = []
    composer.sent.connect(sent.append)
    QTest.keyClicks(composer.edit, "one")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.edit, "two")
    assert composer.text == "one\ntwo"
    assert sent == []


def test_nothing_is_sent_without_text(composer: Composer) -> None:
    sent: list[str] = []
    composer.sent.connect(sent.append)
    QTest.keyClicks(composer.edit, "  ")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    assert not composer.button.isEnabled()


def test_it_grows_with_its_lines_and_then_scrolls(composer: Composer, qtbot: QtBot) -> None:
    heights: list[int] = []
    for lines in (1, 2, 5, MAX_LINES, MAX_LINES + 4):
        composer.edit.setPlainText("\n".join("x" * lines))
        qtbot.wait(1)
        heights.append(composer.edit.height())
    assert heights == sorted(heights)
    assert len(set(heights)) == 4
    assert heights[-1] == heights[-2]


def test_escape_and_the_button_stop_a_reply(composer: Composer, qtbot: QtBot) -> None:
    composer.show_state(ComposerState.RUNNING)
    with qtbot.waitSignal(composer.stopped):
        QTest.keyClick(composer.edit, Qt.Key.Key_Escape)
    with qtbot.waitSignal(composer.stopped):
        composer.button.click()
    assert composer.button.accessibleName() == "Stop the reply"


def test_enter_sends_nothing_while_a_reply_is_written(composer: Composer) -> None:
    """UI-10: press Enter 10 times."""
    sent: list[str] = []
    composer.sent.connect(sent.append)
    composer.show_state(ComposerState.RUNNING)
    QTest.keyClicks(composer.edit, "more")
    for _ in range(10):
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    assert composer.text == "more"


def test_an_edit_brings_the_draft_back(composer: Composer, qtbot: QtBot) -> None:
    composer.show_draft("a draft")
    composer.begin_edit("an old message")
    assert composer.text == "an old message"
    with qtbot.waitSignal(composer.edited):
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    composer.accept_edit("an old message")
    assert composer.text == "a draft"
    composer.begin_edit("again")
    QTest.keyClick(composer.edit, Qt.Key.Key_Escape)
    assert composer.text == "a draft"
    assert not composer.is_editing


def test_the_count_turns_into_advice_where_it_would_overflow(composer: Composer) -> None:
    composer.show_count(TokenCount(1204, 4096))
    assert composer.note.whole_text == "1,204 of 4,096 tokens"
    assert composer.note.property("look") == "small"
    composer.show_count(TokenCount(5030, 4096))
    assert composer.note.whole_text.startswith("5,030 of 4,096 tokens: too long")
    assert composer.note.property("look") == "small-danger"
