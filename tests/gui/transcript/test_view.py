"""The transcript as a person uses it: reading, scrolling, selecting, searching, acting on messages."""

import socket
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QPalette, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from quern.gui.theme import Theme, ThemeChoice
from quern.gui.widgets.transcript import FindDirection, ShownMessage, ShownState, TranscriptView
from quern.gui.widgets.transcript.strip import MessageAction, MessageStrip

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints", extend=True)

LONG = "A paragraph with some words.\n\n" * 200


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[TranscriptView]:
    widget = TranscriptView()
    qtbot.addWidget(widget)
    widget.resize(900, 600)
    with qtbot.waitExposed(widget):
        widget.show()
    yield widget


def chat(count: int, text: str = "Words about **things**.") -> list[ShownMessage]:
    return [ShownMessage(number, "assistant" if number % 2 else "user", f"{text} #{number}") for number in range(count)]


def document_text(view: TranscriptView) -> str:
    return view.browser.document().toPlainText()


def point_at(view: TranscriptView, text: str) -> QPoint:
    """Move the mouse over `text` and return where that is."""
    found = view.browser.document().find(text)
    assert not found.isNull()
    view.browser.setTextCursor(found)
    view.browser.ensureCursorVisible()
    point = view.browser.cursorRect(found).center() - QPoint(3, 0)
    QTest.mouseMove(view.browser.viewport(), point + QPoint(1, 0))
    QTest.mouseMove(view.browser.viewport(), point)
    return point


def strip_of(view: TranscriptView) -> MessageStrip:
    (strip,) = view.browser.findChildren(MessageStrip)
    return strip


def test_a_chat_opens_at_its_end_and_holds_a_bounded_document(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages(chat(10_000))
    qtbot.wait(100)
    assert "#9999" in document_text(view)
    assert view.browser.document().blockCount() < 2_000
    bar = view.browser.verticalScrollBar()
    assert bar.value() == bar.maximum()


def test_scrolling_up_reaches_the_first_message_with_a_bounded_document(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages(chat(300))
    bar = view.browser.verticalScrollBar()
    for _ in range(400):
        bar.setValue(bar.value() - 300)
        qtbot.wait(1)
        if "#0" in document_text(view) and bar.value() == 0:
            break
    assert "#0" in document_text(view).split()
    assert view.browser.document().blockCount() < 2_000


def test_the_text_in_view_stays_when_the_window_moves(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages(chat(300))
    qtbot.wait(50)
    bar = view.browser.verticalScrollBar()
    bar.setValue(bar.value() - 500)
    seen = view.browser.cursorForPosition(QPoint(100, 100)).block().text()
    qtbot.wait(150)
    assert view.browser.cursorForPosition(QPoint(100, 100)).block().text() == seen


def test_home_and_end_go_to_the_chats_ends(view: TranscriptView) -> None:
    view.show_messages(chat(2_000))
    view.browser.setFocus()
    QTest.keyClick(view.browser, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert "#0" in document_text(view).split()
    assert "#1999" not in document_text(view)
    QTest.keyClick(view.browser, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert "#1999" in document_text(view)


def test_a_reply_streams_and_the_view_follows(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages([*chat(4), ShownMessage(9, "assistant", "", state=ShownState.STREAMING)])
    for piece in ("Some ", "**bo", "ld** text\n\n"):
        view.grow_reply(9, piece, "")
    qtbot.waitUntil(lambda: "Some bold text" in document_text(view))
    for piece in (LONG, LONG, "The end."):
        view.grow_reply(9, piece, "")
        qtbot.wait(20)
    qtbot.waitUntil(lambda: "The end." in document_text(view))
    bar = view.browser.verticalScrollBar()
    assert bar.value() == bar.maximum()


def test_scrolling_up_while_streaming_stays_put_and_offers_the_way_back(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages([*chat(40), ShownMessage(99, "assistant", LONG, state=ShownState.STREAMING)])
    qtbot.wait(50)
    bar = view.browser.verticalScrollBar()
    bar.setValue(bar.maximum() - 700)
    seen = view.browser.cursorForPosition(QPoint(100, 100)).block().text()
    for _ in range(10):
        view.grow_reply(99, "More words.\n\n", "")
        qtbot.wait(20)
    qtbot.wait(100)
    assert view.browser.cursorForPosition(QPoint(100, 100)).block().text() == seen
    jump = next(
        child for child in view.browser.findChildren(type(view.overlay.jump)) if child.text() == "Jump to latest"
    )
    assert jump.isVisible()
    QTest.mouseClick(jump, Qt.MouseButton.LeftButton)
    assert bar.value() == bar.maximum()
    assert not jump.isVisible()


@pytest.mark.parametrize("step", [1, 3, 17])
def test_streaming_ends_in_the_document_that_showing_gives(view: TranscriptView, step: int) -> None:
    source = "# H\n\n1. a\n2. **b**\n   - c\n\n> q\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```py\nx = 1\n\ty\n```\n"
    source += "$a^2$ done\n\n---\nend"
    view.show_messages([ShownMessage(1, "assistant", source)])
    shown = blocks_of(view.browser.document())
    view.show_messages([ShownMessage(1, "assistant", "", state=ShownState.STREAMING)])
    for at in range(0, len(source), step):
        view.grow_reply(1, source[at : at + step], "")
        view.find("")
    view.replace_message(ShownMessage(1, "assistant", source))
    assert blocks_of(view.browser.document()) == shown


def blocks_of(document: QTextDocument) -> list[tuple[str, float, float, int]]:
    block = document.begin()
    result: list[tuple[str, float, float, int]] = []
    while block.isValid():
        shape = block.blockFormat()
        result.append((block.text(), shape.leftMargin(), shape.topMargin(), shape.headingLevel()))
        block = block.next()
    return result


def test_find_searches_every_message_and_wraps(view: TranscriptView) -> None:
    messages = chat(3_000)
    messages[7] = ShownMessage(7, "assistant", "a **nee**dle here")
    messages[2_000] = ShownMessage(2_000, "user", "another NEEDLE there")
    view.show_messages(messages)
    assert view.find("needle", FindDirection.BACKWARD)
    assert view.browser.textCursor().block().text() == "another NEEDLE there"
    assert view.find("needle", FindDirection.BACKWARD)
    assert view.browser.textCursor().block().text() == "a needle here"
    assert view.browser.textCursor().selectedText() == "needle"
    assert view.find("needle", FindDirection.BACKWARD)
    assert view.browser.textCursor().block().text() == "another NEEDLE there"
    assert view.find("needle", FindDirection.FORWARD)
    assert view.browser.textCursor().block().text() == "a needle here"
    assert not view.find("nowhere in here")


def test_find_unfolds_reasoning(view: TranscriptView) -> None:
    view.show_messages([ShownMessage(1, "assistant", "Yes.", reasoning="secret thought", reasoning_ms=3_400)])
    assert "Thought for 3 s" in document_text(view)
    assert "secret" not in document_text(view)
    assert view.find("secret")
    assert view.browser.textCursor().selectedText() == "secret"


def test_a_click_unfolds_and_folds_reasoning(view: TranscriptView) -> None:
    view.show_messages([ShownMessage(1, "assistant", "Yes.", reasoning="secret thought", reasoning_ms=3_400)])
    QTest.mouseClick(view.browser.viewport(), Qt.MouseButton.LeftButton, pos=point_at(view, "Thought"))
    assert "secret" in document_text(view)
    QTest.mouseClick(view.browser.viewport(), Qt.MouseButton.LeftButton, pos=point_at(view, "Thought"))
    assert "secret" not in document_text(view)


def test_copying_a_selection_across_messages_gives_clean_text(view: TranscriptView) -> None:
    view.show_messages(
        [
            ShownMessage(1, "user", "Question?"),
            ShownMessage(
                2,
                "assistant",
                "An *answer*:\n\n- one\n- two\n\n```py\n\tx = 1  \n```\n\n| a | b |\n|--|--|\n| 1 | 2 |\n",
            ),
        ]
    )
    cursor = view.browser.document().find("Question")
    cursor.setPosition(cursor.selectionStart())
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    view.browser.setTextCursor(cursor)
    view.browser.setFocus()
    QTest.keyClick(view.browser, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QApplication.clipboard().text()
    assert text.startswith("Question?\n\nAn answer:\n• one\n• two\n\tx = 1  ")
    assert "a\tb\n1\t2" in text
    assert "Assistant" not in text


def test_select_all_copies_the_whole_chat(view: TranscriptView) -> None:
    view.show_messages(chat(1_000, "word"))
    view.browser.setFocus()
    QTest.keyClick(view.browser, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(view.browser, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().split("\n\n")[::999] == ["word #0", "word #999"]


def test_ui_07_the_copy_button_copies_code_byte_for_byte(view: TranscriptView, qtbot: QtBot) -> None:
    code = "\tif x:\r\n" + " " * 64 + "y = 1   \r\n\r\nz"
    view.show_messages([ShownMessage(1, "assistant", f"Look:\r\n```py\r\n{code}\r\n```\r\n")])
    point_at(view, "y = 1")
    assert view.overlay.copy.isVisible()
    QTest.mouseClick(view.overlay.copy, Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == code
    assert view.overlay.copy.text() == "Copied"
    qtbot.waitUntil(lambda: view.overlay.copy.text() == "Copy", timeout=3_000)


def test_code_in_a_list_is_copied_with_its_tabs(view: TranscriptView) -> None:
    view.show_messages([ShownMessage(1, "assistant", "- do:\n\n  ```sh\n  \tls  \n\n  pwd\n  ```\n")])
    point_at(view, "pwd")
    QTest.mouseClick(view.overlay.copy, Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == "\tls  \n\npwd"


def test_the_strip_offers_what_fits_the_message(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages(
        [
            ShownMessage(5, "user", "Question?"),
            ShownMessage(6, "assistant", "Answer.", sibling_index=1, sibling_count=3),
        ]
    )
    strip = strip_of(view)
    point_at(view, "Question?")
    assert strip.isVisible()
    assert strip.button(MessageAction.EDIT).isVisible()
    assert not strip.button(MessageAction.REGENERATE).isVisible()
    edited: list[object] = []
    view.edit_requested.connect(edited.append)
    QTest.mouseClick(strip.button(MessageAction.EDIT), Qt.MouseButton.LeftButton)
    assert edited == [5]
    point_at(view, "Answer.")
    assert "2/3" in document_text(view)
    with qtbot.waitSignals([view.regenerate_requested, view.delete_requested, view.sibling_requested]):
        QTest.mouseClick(strip.button(MessageAction.REGENERATE), Qt.MouseButton.LeftButton)
        QTest.mouseClick(strip.button(MessageAction.DELETE), Qt.MouseButton.LeftButton)
        QTest.mouseClick(strip.button(MessageAction.NEXT), Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(view.copy_requested):
        QTest.mouseClick(strip.button(MessageAction.COPY), Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == "Answer."
    assert all(strip.button(action).accessibleName() and strip.button(action).toolTip() for action in MessageAction)


def test_the_keyboard_reaches_every_action(view: TranscriptView) -> None:
    view.show_messages(chat(6))
    view.browser.setFocus()
    for _ in range(2):
        QTest.keyClick(view.browser, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    strip = strip_of(view)
    assert strip.isVisible()
    QTest.keyClick(view.browser, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is strip.button(MessageAction.COPY)
    copied: list[object] = []
    view.copy_requested.connect(copied.append)
    QTest.keyClick(strip.button(MessageAction.COPY), Qt.Key.Key_Space)
    assert copied == [4]


def test_the_keyboard_copies_a_code_block(view: TranscriptView) -> None:
    view.show_messages([ShownMessage(1, "assistant", "```\nfirst\n```\n\n```\nsecond\n```\n")])
    view.browser.setFocus()
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(view.browser, Qt.Key.Key_Down, both)
    QTest.keyClick(view.browser, Qt.Key.Key_Down, both)
    QTest.keyClick(view.browser, Qt.Key.Key_Up, both)
    assert view.overlay.copy.isVisible()
    while QApplication.focusWidget() is not view.overlay.copy:
        QTest.keyClick(view.browser, Qt.Key.Key_Tab)
    QTest.keyClick(view.overlay.copy, Qt.Key.Key_Space)
    assert QApplication.clipboard().text() == "first"


def test_f7_gives_a_caret_that_selects(view: TranscriptView) -> None:
    view.show_messages([ShownMessage(1, "assistant", "Some words.")])
    view.browser.setFocus()
    QTest.keyClick(view.browser, Qt.Key.Key_F7)
    view.find("words")
    QTest.keyClick(view.browser, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.browser.textCursor().selectedText() == "words."
    assert strip_of(view).isVisible()


def test_a_sibling_link_asks_for_the_neighbour(view: TranscriptView) -> None:
    view.show_messages([ShownMessage(6, "assistant", "Answer.", sibling_index=1, sibling_count=3)])
    point = point_at(view, "‹")
    asked: list[tuple[object, int]] = []

    def take(message_id: object, step: int) -> None:
        asked.append((message_id, step))

    view.sibling_requested.connect(take)
    QTest.mouseClick(view.browser.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert asked == [(6, -1)]


def test_ui_03_a_click_on_a_link_asks_with_its_whole_address(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages(
        [ShownMessage(1, "assistant", "[innocent](https://evil.example/?q=1) [no](javascript:alert(1))")]
    )
    opened: list[object] = []
    view.link_activated.connect(opened.append)
    QTest.mouseClick(view.browser.viewport(), Qt.MouseButton.LeftButton, pos=point_at(view, "innocent"))
    assert opened == ["https://evil.example/?q=1"]
    with qtbot.assertNotEmitted(view.link_activated):
        QTest.mouseClick(view.browser.viewport(), Qt.MouseButton.LeftButton, pos=point_at(view, "javascript"))


def test_ui_01_an_image_is_never_fetched(view: TranscriptView, qtbot: QtBot) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.3)
        port = listener.getsockname()[1]
        view.show_messages([ShownMessage(1, "assistant", f"![x](http://127.0.0.1:{port}/p.png?d=secret)")])
        qtbot.wait(200)
        assert "[Image: x · 127.0.0.1]" in document_text(view)
        with pytest.raises(TimeoutError):
            listener.accept()
        assert (
            view.browser.document().resource(QTextDocument.ResourceType.ImageResource, f"http://127.0.0.1:{port}/p.png")
            is None
        )


def test_messages_are_taken_out_from_one_on(view: TranscriptView) -> None:
    view.show_messages(chat(10))
    view.truncate_from(6)
    view.truncate_from(42)
    assert "#5" in document_text(view)
    assert "#6" not in document_text(view)
    view.append_message(ShownMessage(77, "user", "fresh"))
    assert document_text(view).rstrip().endswith("fresh")
    view.truncate_from(0)
    assert document_text(view).strip() == ""


def test_ui_09_growth_of_a_message_that_is_gone_is_let_go(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages(chat(4))
    view.grow_reply(3, "late", "")
    view.truncate_from(3)
    view.grow_reply(3, "later", "")
    qtbot.wait(80)
    assert "late" not in document_text(view)


def test_a_stopped_reply_says_so(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages([ShownMessage(1, "assistant", "", state=ShownState.STREAMING)])
    assert "…" in document_text(view)
    view.grow_reply(1, "Half a sen", "")
    view.replace_message(ShownMessage(1, "assistant", "Half a sen", state=ShownState.STOPPED, note="Stopped"))
    qtbot.wait(60)
    assert document_text(view).split("\n") == ["Assistant", "Half a sen", "Stopped", ""]


def test_arabic_runs_from_right_to_left(view: TranscriptView) -> None:
    view.show_messages([ShownMessage(1, "assistant", "English.\n\nمرحبا بالعالم")])
    block = view.browser.document().find("مرحبا").block()
    assert block.textDirection() is Qt.LayoutDirection.RightToLeft
    assert view.browser.document().find("English").block().textDirection() is Qt.LayoutDirection.LeftToRight


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_long_paragraph_flows_as_one(view: TranscriptView, role: str) -> None:
    paragraph = ("A sentence of a paragraph that goes on and on. " * 130)[:6_066].strip()
    view.show_messages([ShownMessage(1, role, paragraph)])
    assert paragraph in document_text(view).split("\n")


def test_captions_and_figures_stand_where_the_layout_begins(view: TranscriptView, qtbot: QtBot) -> None:
    def alignments() -> set[Qt.AlignmentFlag]:
        found = [
            view.browser.document().find(text).block() for text in ("أنت", "Assistant", "Reasoning", "42 tokens/s")
        ]
        return {block.blockFormat().alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask for block in found}

    view.show_messages(
        [
            ShownMessage(0, "user", "Question?", author="أنت"),
            ShownMessage(1, "assistant", "Answer.", reasoning="Hm.", note="42 tokens/s"),
        ]
    )
    absolute = Qt.AlignmentFlag.AlignAbsolute
    assert alignments() == {Qt.AlignmentFlag.AlignLeft | absolute}
    view.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    qtbot.wait(20)
    assert alignments() == {Qt.AlignmentFlag.AlignRight | absolute}
    point_at(view, "Assistant")
    assert strip_of(view).geometry().right() < view.browser.viewport().geometry().center().x()


def test_the_strip_stands_in_the_authors_row(view: TranscriptView) -> None:
    view.show_messages(chat(2))
    point_at(view, "#1")
    row = view.browser.cursorRect(view.browser.document().find("Assistant"))
    strip = strip_of(view).geometry().translated(-view.browser.viewport().pos())
    assert abs(strip.center().y() - row.center().y()) <= 3
    assert strip.bottom() < view.browser.cursorRect(view.browser.document().find("#1")).bottom()


def test_the_strip_of_a_long_message_stands_beside_its_text(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages([ShownMessage(1, "assistant", LONG)])
    qtbot.wait(20)
    view.overlay.point_at(QPoint(100, 300))
    strip, area = strip_of(view), view.browser.viewport().geometry()
    assert strip.isVisible()
    assert strip.height() > strip.width()
    assert strip.geometry().left() > area.right() - 16
    view.resize(500, 600)
    qtbot.wait(20)
    bar = view.browser.verticalScrollBar()
    assert strip.geometry().right() < view.browser.width() - bar.width()


def test_the_ring_is_for_the_keyboard(view: TranscriptView) -> None:
    view.show_messages(chat(2))
    inside = view.browser.viewport().geometry()
    QTest.mouseClick(view.browser.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert view.browser.hasFocus()
    assert not view.ring.isVisible()
    view.browser.clearFocus()
    view.browser.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.ring.isVisible()
    assert view.ring.geometry() == view.browser.geometry()
    assert view.browser.viewport().geometry() == inside
    view.browser.clearFocus()
    assert not view.ring.isVisible()


def test_a_mouse_click_draws_no_ring(view: TranscriptView, qapp: QApplication, qtbot: QtBot) -> None:
    """Neither the ring nor the style sheet's: the picture is the same with and without the focus."""
    Theme(qapp).choose(ThemeChoice.LIGHT, 1.0)
    view.browser.clearFocus()
    qtbot.wait(20)
    before = view.grab().toImage()
    QTest.mouseClick(view.browser.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    qtbot.wait(20)
    assert view.grab().toImage() == before
    view.browser.clearFocus()
    view.browser.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.grab().toImage() != before


def test_what_floats_follows_a_live_change_of_theme(view: TranscriptView, qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme(qapp)
    theme.choose(ThemeChoice.LIGHT, 1.0)
    view.show_messages([ShownMessage(1, "assistant", LONG)])
    view.browser.verticalScrollBar().setValue(300)
    qtbot.wait(20)
    jump = view.overlay.jump
    width = jump.width()
    theme.choose(ThemeChoice.DARK, 1.4)
    qtbot.wait(20)
    assert jump.isVisible()
    assert jump.width() > width * 1.2
    assert jump.width() >= jump.sizeHint().width()
    assert abs(jump.geometry().center().x() - view.browser.viewport().geometry().center().x()) <= 1
    view.overlay.point_at(QPoint(100, 300))
    for floating in (jump, strip_of(view)):
        ground = floating.grab().toImage().pixelColor(4, floating.height() // 2)
        assert ground == QColor(theme.colors.raised)
    theme.choose(ThemeChoice.LIGHT, 1.0)


def test_a_new_look_keeps_the_text_in_view(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages([ShownMessage(1, "assistant", " ".join(f"word{number}" for number in range(1_500)))])
    bar = view.browser.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    qtbot.wait(20)

    def top_word() -> int:
        cursor = view.browser.cursorForPosition(QPoint(200, 4))
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return int(cursor.selectedText().removeprefix("word"))

    before = top_word()
    view.set_text_scale(1.3)
    qtbot.wait(50)
    assert abs(top_word() - before) <= 15


def test_the_column_is_centred_and_narrow_in_a_wide_window(view: TranscriptView, qtbot: QtBot) -> None:
    view.resize(1_600, 600)
    qtbot.wait(20)
    area = view.browser.viewport().geometry()
    assert area.width() <= 792
    assert abs(area.center().x() - 800) <= 12


def test_a_dark_palette_and_a_larger_text_are_taken_over(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_messages(chat(4))
    before = view.browser.document().size().height()
    view.set_text_scale(1.5)
    assert view.browser.document().size().height() > before * 1.1
    palette = QPalette(view.palette())
    for role, color in (
        (QPalette.ColorRole.Window, "#111111"),
        (QPalette.ColorRole.Base, "#181818"),
        (QPalette.ColorRole.Text, "#eeeeee"),
    ):
        palette.setColor(role, QColor(color))
    view.setPalette(palette)
    qtbot.wait(20)
    cursor = view.browser.document().find("#3")
    assert cursor.charFormat().foreground().color() == QColor("#eeeeee")


def test_a_screen_reader_is_told_what_this_is(view: TranscriptView) -> None:
    assert view.browser.accessibleName() == "Conversation"
    assert "Ctrl+Up" in view.browser.accessibleDescription()


@pytest.mark.parametrize(
    "text",
    ["A sentence.\n\n" * 80_000, "line\n" * 20_000, "x" * 200_000, "```py\nx = 1\n```\n" * 5_000],
    ids=["1 MB", "lines", "line", "blocks"],
)
def test_ui_05_huge_answers_open_in_a_bounded_document(view: TranscriptView, qtbot: QtBot, text: str) -> None:
    view.show_messages([ShownMessage(1, "user", "q"), ShownMessage(2, "assistant", text)])
    qtbot.wait(200)
    bar = view.browser.verticalScrollBar()
    for _ in range(20):
        bar.setValue(bar.value() - 400)
        qtbot.wait(2)
    assert view.browser.document().characterCount() < 150_000
    assert view.text_of(2) == text
