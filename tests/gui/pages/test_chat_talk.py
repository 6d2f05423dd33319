"""Chats, driven as a person would: what is typed goes where it was typed, and nothing of it is lost."""

from collections.abc import Callable
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from quern.base import DiskFull
from quern.chat import ChatMessage, ChatTemplate, TemplateRefused
from quern.gui.viewmodels.failure import Failure
from quern.gui.widgets.composer import Composer
from quern.gui.widgets.options_panel import OptionsPanel
from quern.spec import SamplingParams
from tests.gui.conftest import Place


def say(window: Place, text: str) -> int:
    """Send `text` by the composer, wait for the reply and for the list; return the chat's id."""
    composer_of(window).edit.setPlainText(text)
    before = len(window.desk.chat.messages)
    press_enter(window)
    window.qtbot.waitUntil(lambda: len(window.desk.chat.messages) > before and not window.desk.outbox.is_running)
    ident = window.desk.chat.id
    assert ident is not None
    window.qtbot.waitUntil(lambda: window.desk.conversations.find(ident) is not None)
    return ident


def begin_chat(window: Place, text: str) -> int:
    """Begin a new chat with `text`."""
    window.shown.chat.new_chat()
    return say(window, text)


def show(window: Place, ident: int) -> None:
    """Show a chat and wait for its messages and its draft."""
    window.desk.chat.show(ident)
    window.qtbot.waitUntil(lambda: window.desk.chat.id == ident)
    settle(window)


def settle(window: Place) -> None:
    """Let the store thread answer what it was asked so far."""
    answered: list[bool] = []
    window.desk.bridge.store(lambda: True, answered.append)
    window.qtbot.waitUntil(lambda: bool(answered))


def composer_of(window: Place) -> Composer:
    return window.shown.chat.column.composer


def press_enter(window: Place) -> None:
    QTest.keyClick(composer_of(window).edit, Qt.Key.Key_Return)


def contents(window: Place, ident: int) -> list[str]:
    return [message.content for message in window.app.store.path(ident)]


def hold_store(window: Place) -> Callable[[], None]:
    """Keep the store thread busy until the returned function is called."""
    gate = Event()
    window.desk.bridge.store(lambda: gate.wait(10))
    return gate.set


def test_options_that_are_stored_late_do_not_bring_their_chat_back(window: Place) -> None:
    """A system prompt typed for one chat, then a click on another: what is sent next belongs to the other."""
    window.open()
    first, second = begin_chat(window, "First"), begin_chat(window, "Second")
    release = hold_store(window)
    window.desk.options.set_system_prompt("For the second.")
    window.desk.chat.show(first)
    release()
    settle(window)
    settle(window)
    assert window.desk.chat.id == first
    say(window, "Meant for the first")
    assert contents(window, first)[2] == "Meant for the first"
    assert contents(window, second) == ["Second", "Hello there."]
    assert window.app.store.get(second).system_prompt == "For the second."


def test_a_system_prompt_being_typed_belongs_to_the_chat_that_is_left(window: Place) -> None:
    window.open()
    first, second = begin_chat(window, "First"), begin_chat(window, "Second")
    panel: OptionsPanel = window.shown.chat.options
    panel.system_prompt.setPlainText("For the second.")
    show(window, first)
    assert window.app.store.get(second).system_prompt == "For the second."
    assert window.app.store.get(first).system_prompt == ""


def test_a_reply_written_anew_settles_after_its_chat_was_left(window: Place) -> None:
    window.open()
    first, second = begin_chat(window, "First"), begin_chat(window, "Second")
    release = hold_store(window)
    window.desk.outbox.regenerate(window.desk.chat.messages[-1].id)
    window.desk.chat.show(first)
    release()
    window.qtbot.waitUntil(lambda: window.desk.chat.id == first)
    window.qtbot.waitUntil(lambda: not window.desk.feed.running_ids and not window.desk.outbox.is_running)
    assert contents(window, second) == ["Second", "Hello there."]


def test_a_message_sent_before_the_chat_is_read_goes_to_the_chat_that_was_chosen(window: Place) -> None:
    window.open()
    first, second = begin_chat(window, "First"), begin_chat(window, "Second")
    release = hold_store(window)
    window.desk.chat.show(first)
    QTest.keyClicks(composer_of(window).edit, "At once")
    press_enter(window)
    release()
    window.qtbot.waitUntil(lambda: len(window.desk.chat.messages) == 4 and not window.desk.outbox.is_running)
    assert contents(window, first)[2] == "At once"
    assert contents(window, second) == ["Second", "Hello there."]
    assert composer_of(window).text == ""


def test_keys_between_enter_and_the_stored_message_stay(window: Place) -> None:
    window.open()
    composer = composer_of(window)
    release = hold_store(window)
    QTest.keyClicks(composer.edit, "Count to three")
    press_enter(window)
    QTest.keyClicks(composer.edit, "NEXT")
    release()
    window.qtbot.waitUntil(lambda: len(window.desk.chat.messages) == 2 and not window.desk.outbox.is_running)
    assert composer.text == "NEXT"
    assert window.desk.chat.messages[0].content == "Count to three"
    ident = window.desk.chat.id
    assert ident is not None
    window.desk.drafts.flush()
    settle(window)
    assert (window.app.store.draft(ident), window.app.store.draft(None)) == ("NEXT", "")


def test_what_is_typed_behind_a_held_message_stays(window: Place) -> None:
    window.app.residency.hold.clear()
    window.desk.start()
    composer = composer_of(window)
    window.qtbot.waitUntil(lambda: window.desk.shelf.is_loading)
    QTest.keyClicks(composer.edit, "Say hello")
    press_enter(window)
    QTest.keyClicks(composer.edit, " and more")
    window.app.residency.hold.set()
    window.qtbot.waitUntil(lambda: len(window.desk.chat.messages) == 2 and not window.desk.outbox.is_running)
    assert window.desk.chat.messages[0].content == "Say hello"
    assert composer.text == " and more"


def test_cancelling_an_edit_takes_a_held_edit_back(window: Place) -> None:
    window.open()
    ident = begin_chat(window, "First")
    composer = composer_of(window)
    QTest.keyClicks(composer.edit, "a draft")
    window.app.residency.hold.clear()
    window.desk.load(window.desk.shelf.usable[0])
    window.qtbot.waitUntil(lambda: window.desk.shelf.is_loading)
    window.shown.chat.column.transcript.edit_requested.emit(window.desk.chat.messages[0].id)
    composer.edit.setPlainText("Edited")
    press_enter(window)
    assert window.desk.outbox.held is not None
    composer.end_edit()
    assert window.desk.outbox.held is None
    window.app.residency.hold.set()
    window.qtbot.waitUntil(lambda: not window.desk.shelf.is_loading)
    settle(window)
    assert contents(window, ident) == ["First", "Hello there."]
    assert composer.text == "a draft"


def test_a_message_that_cannot_be_stored_comes_back_in_front(window: Place) -> None:
    """DB-01: nothing that was typed is lost."""
    window.open()
    composer = composer_of(window)

    def refuse(*_arguments: object, **_named: object) -> None:
        raise DiskFull(window.app.home.database)

    window.app.store.create = refuse  # pyright: ignore[reportAttributeAccessIssue]
    release = hold_store(window)
    QTest.keyClicks(composer.edit, "Keep me")
    press_enter(window)
    QTest.keyClicks(composer.edit, "too")
    release()
    window.qtbot.waitUntil(lambda: not window.shown.chat.column.banner.isHidden())
    assert composer.text == "Keep me\ntoo"
    del window.app.store.create
    window.shown.chat.column.banner.buttons()[0].click()
    window.qtbot.waitUntil(lambda: len(window.desk.chat.messages) == 2)
    assert window.desk.chat.messages[0].content == "Keep me\ntoo"


def test_a_message_that_cannot_be_stored_goes_back_to_the_chat_it_was_written_in(window: Place) -> None:
    window.open()
    first, second = begin_chat(window, "First"), begin_chat(window, "Second")
    told: list[Failure] = []
    window.desk.outbox.failed.connect(told.append)

    def refuse(*_arguments: object, **_named: object) -> None:
        raise DiskFull(window.app.home.database)

    window.app.turns.send = refuse  # pyright: ignore[reportAttributeAccessIssue]
    release = hold_store(window)
    QTest.keyClicks(composer_of(window).edit, "For the second")
    press_enter(window)
    window.desk.chat.show(first)
    release()
    window.qtbot.waitUntil(lambda: bool(told) and window.desk.chat.id == first)
    settle(window)
    assert composer_of(window).text == ""
    assert told[0].fixes == ()
    show(window, second)
    assert composer_of(window).text == "For the second"


def test_what_is_typed_right_after_a_switch_joins_that_chats_draft(window: Place) -> None:
    window.open()
    first, second = begin_chat(window, "First"), begin_chat(window, "Second")
    composer = composer_of(window)
    QTest.keyClicks(composer.edit, "draft of second")
    show(window, first)
    QTest.keyClicks(composer.edit, "draft of first")
    release = hold_store(window)
    window.desk.chat.show(second)
    assert composer.text == ""
    QTest.keyClicks(composer.edit, "X")
    release()
    window.qtbot.waitUntil(lambda: window.desk.chat.id == second)
    window.qtbot.waitUntil(lambda: composer.text == "draft of secondX")
    window.desk.drafts.flush()
    settle(window)
    drafts = window.app.store.draft(first), window.app.store.draft(second)
    assert drafts == ("draft of first", "draft of secondX")


def test_what_is_typed_between_two_switches_is_kept(window: Place) -> None:
    window.open()
    first, second = begin_chat(window, "First"), begin_chat(window, "Second")
    composer = composer_of(window)
    QTest.keyClicks(composer.edit, "draft")
    show(window, first)
    release = hold_store(window)
    window.desk.chat.show(second)
    QTest.keyClicks(composer.edit, "X")
    window.desk.chat.show(first)
    release()
    settle(window)
    settle(window)
    assert composer.text == ""
    assert (window.app.store.draft(first), window.app.store.draft(second)) == ("", "draftX")


def test_a_half_done_edit_is_there_again_when_its_chat_is_shown_again(window: Place) -> None:
    window.open()
    first, second = begin_chat(window, "First"), begin_chat(window, "Second")
    composer = composer_of(window)
    QTest.keyClicks(composer.edit, "a draft")
    window.shown.chat.column.transcript.edit_requested.emit(window.desk.chat.messages[0].id)
    composer.edit.setPlainText("half an edit")
    show(window, first)
    assert (composer.text, composer.is_editing) == ("", False)
    show(window, second)
    assert (composer.text, composer.is_editing) == ("half an edit", True)
    composer.end_edit()
    assert composer.text == "a draft"


def test_two_quick_sends_in_two_new_chats_each_reach_their_own(window: Place) -> None:
    window.open()
    composer = composer_of(window)
    QTest.keyClicks(composer.edit, "ALPHA")
    press_enter(window)
    window.shown.chat.new_chat()
    QTest.keyClicks(composer.edit, "BRAVO")
    press_enter(window)
    window.qtbot.waitUntil(lambda: len(window.desk.chat.messages) == 2)
    window.qtbot.waitUntil(lambda: not window.desk.feed.running_ids and not window.desk.outbox.is_running)
    settle(window)
    assert window.desk.chat.messages[0].content == "BRAVO"
    titles = sorted(summary.title for summary in window.app.store.conversations())
    assert titles == ["ALPHA", "BRAVO"]
    assert (composer.text, window.app.store.draft(None)) == ("", "")


def test_options_changed_while_a_first_message_is_on_its_way_belong_to_its_chat(window: Place) -> None:
    window.open()
    release = hold_store(window)
    QTest.keyClicks(composer_of(window).edit, "First")
    press_enter(window)
    window.desk.options.set_system_prompt("Be brief.")
    window.desk.options.set_sampling(SamplingParams(temperature=0.1))
    release()
    window.qtbot.waitUntil(lambda: window.desk.chat.id is not None and not window.desk.outbox.is_running)
    settle(window)
    ident = window.desk.chat.id
    assert ident is not None
    stored = window.app.store.get(ident)
    assert (stored.system_prompt, stored.sampling) == ("Be brief.", SamplingParams(temperature=0.1))


def test_a_deletion_can_be_undone_after_another_chat_was_shown(window: Place) -> None:
    window.open()
    first, second = begin_chat(window, "First"), begin_chat(window, "Second")
    release = hold_store(window)
    window.desk.chat.delete_message(window.desk.chat.messages[0].id)
    window.desk.chat.show(first)
    release()
    window.qtbot.waitUntil(lambda: window.desk.chat.id == first and window.desk.deletions.can_undo)
    assert contents(window, second) == []
    window.desk.deletions.undo()
    window.qtbot.waitUntil(lambda: window.desk.chat.id == second)
    assert contents(window, second) == ["Second", "Hello there."]


def test_a_chat_that_cannot_be_read_leaves_the_shown_one_with_its_draft(window: Place) -> None:
    window.open()
    ident = begin_chat(window, "First")
    composer = composer_of(window)
    QTest.keyClicks(composer.edit, "a draft")
    window.desk.chat.show(ident + 100)
    window.qtbot.waitUntil(lambda: not window.shown.chat.column.banner.isHidden())
    settle(window)
    assert (window.desk.chat.id, window.desk.chat.is_opening) == (ident, False)
    assert composer.text == "a draft"
    say(window, "Still here")
    assert contents(window, ident)[2] == "Still here"


def test_what_was_typed_before_the_database_opened_goes_behind_the_stored_draft(window: Place) -> None:
    window.app.before_open = lambda store: store.save_draft(None, "stored, ")
    QTest.keyClicks(composer_of(window).edit, "typed")
    window.open()
    window.qtbot.waitUntil(lambda: composer_of(window).text == "stored, typed")
    window.desk.drafts.flush()
    settle(window)
    assert window.app.store.draft(None) == "stored, typed"


class Refusing:
    """Writes prompts with Quern's own templates only."""

    def __init__(self, window: Place) -> None:
        self._render = window.app.renderer.render
        window.app.renderer.render = self.render  # pyright: ignore[reportAttributeAccessIssue]

    def render(self, template: ChatTemplate, messages: list[ChatMessage], **marks: object) -> object:
        if template.source == "{{ messages }}":
            raise TemplateRefused("no chats today")
        return self._render(template, messages, **marks)


def test_a_template_that_fails_can_be_replaced_and_the_stored_message_is_answered(window: Place) -> None:
    """TM-13: the built-in templates are offered where a model's own one fails."""
    window.open()
    Refusing(window)
    composer, banner = composer_of(window), window.shown.chat.column.banner
    QTest.keyClicks(composer.edit, "Anyone there?")
    press_enter(window)
    window.qtbot.waitUntil(lambda: not banner.isHidden())
    titles = [button.text() for button in banner.buttons()]
    assert "Use “chatml”" in titles
    assert "Write it again" in titles
    composer.edit.setPlainText("a draft")
    banner.buttons()[titles.index("Use “chatml”")].click()
    window.qtbot.waitUntil(lambda: window.desk.chat.messages[-1].content == "Hello there.")
    window.qtbot.waitUntil(lambda: not window.desk.outbox.is_running)
    assert window.desk.chat.id is not None
    assert contents(window, window.desk.chat.id) == ["Anyone there?", "Hello there."]
    assert composer.text == "a draft"


def test_a_message_known_to_be_too_long_is_not_stored_and_can_be_carried_to_a_new_chat(window: Place) -> None:
    window.open()
    ident = begin_chat(window, "First")
    column, composer = window.shown.chat.column, composer_of(window)
    text = "word " * 5000
    composer.edit.setPlainText(text)
    window.qtbot.waitUntil(lambda: "too long" in composer.note.whole_text)
    press_enter(window)
    assert [button.text() for button in column.banner.buttons()] == ["New chat", "Larger context…"]
    assert composer.text == text
    assert contents(window, ident) == ["First", "Hello there."]
    column.banner.buttons()[0].click()
    settle(window)
    assert window.desk.chat.id is None
    assert composer.text == text
    settle(window)
    assert window.app.store.draft(ident) == ""


@pytest.mark.parametrize("wait_ms", [0, 700])
def test_a_message_found_to_be_too_long_is_taken_back(window: Place, wait_ms: int) -> None:
    window.open()
    ident = begin_chat(window, "First")
    text = "word " * 5000
    composer = composer_of(window)
    composer.edit.setPlainText(text)
    press_enter(window)
    window.qtbot.waitUntil(lambda: not window.shown.chat.column.banner.isHidden())
    window.qtbot.waitUntil(lambda: len(window.desk.chat.messages) == 2)
    window.qtbot.wait(wait_ms)
    assert composer.text == text
    assert contents(window, ident) == ["First", "Hello there."]
    composer.edit.setPlainText("Short")
    say(window, "Short")
    assert contents(window, ident)[2:] == ["Short", "Hello there."]


def test_an_edit_is_counted_with_what_is_said_before_it(window: Place) -> None:
    window.open()
    begin_chat(window, "One two three four")
    say(window, "Five six seven eight")
    counts: list[int] = []

    def take(n_tokens: int, _limit: int) -> None:
        counts.append(n_tokens)

    window.desk.counter.counted.connect(take)
    window.desk.counter.recount()
    window.qtbot.waitUntil(lambda: bool(counts))
    whole = counts.pop()
    first = window.desk.chat.messages[0]
    window.shown.chat.column.transcript.edit_requested.emit(first.id)
    window.qtbot.waitUntil(lambda: bool(counts))
    edited = counts[-1]
    assert 0 < edited < whole
    counts.clear()
    composer_of(window).edit.setPlainText("word " * 100)
    window.qtbot.waitUntil(lambda: bool(counts))
    assert counts[-1] > edited + 50
