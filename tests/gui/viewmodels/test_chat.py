"""Chats without a window: branches, deletion, drafts; what is shown follows what is stored."""

from quern.base import DiskFull
from quern.chat import ConversationStore, Role
from quern.gui.viewmodels.failure import Failure, Fix
from quern.spec import SamplingParams
from tests.gui.conftest import Place
from tests.gui.ear import Ear


def test_a_message_is_answered_and_both_are_stored(place: Place) -> None:
    place.open()
    place.say("Good morning")
    shown = [(message.role.value, message.content) for message in place.desk.chat.messages]
    assert shown == [("user", "Good morning"), ("assistant", "Hello there.")]
    assert place.desk.chat.id is not None
    assert place.app.store.path(place.desk.chat.id) == place.desk.chat.messages
    place.qtbot.waitUntil(lambda: bool(place.desk.conversations.summaries))
    assert place.desk.conversations.summaries[0].title == "Good morning"


def test_ten_sends_make_one_turn(place: Place) -> None:
    """UI-10: one generation a chat, no duplicate rows."""
    place.open()
    place.app.script.go_on.clear()
    for _ in range(10):
        place.desk.outbox.send("Only once")
    place.qtbot.waitUntil(lambda: place.desk.chat.is_running)
    for _ in range(10):
        place.desk.outbox.send("Only once")
    place.app.script.go_on.set()
    place.qtbot.waitUntil(lambda: not place.desk.outbox.is_running)
    assert place.desk.chat.id is not None
    assert len(place.app.store.path(place.desk.chat.id)) == 2
    assert len(place.app.engine.requests) == 1


def test_regenerate_and_edit_during_a_reply_change_nothing(place: Place) -> None:
    """UI-10: regenerate during the stream, edit an earlier message during the stream."""
    place.open()
    place.begin("First")
    user, reply = place.desk.chat.messages
    place.desk.outbox.regenerate(reply.id)
    place.desk.outbox.edit(user.id, "Other")
    place.app.script.go_on.set()
    place.qtbot.waitUntil(lambda: not place.desk.outbox.is_running)
    assert len(place.app.engine.requests) == 1
    assert [message.content for message in place.desk.chat.messages] == ["First", "Hello there."]


def test_a_reply_lands_in_its_chat_while_another_is_shown(place: Place) -> None:
    """UI-09: switch chats while it streams."""
    place.open()
    place.begin("Slow question")
    slow = place.desk.chat.id
    assert slow is not None
    place.desk.chat.show(None)
    place.qtbot.waitUntil(lambda: place.desk.chat.id is None)
    assert place.desk.chat.messages == ()
    place.app.script.go_on.set()
    place.qtbot.waitUntil(lambda: not place.desk.feed.running_ids)
    assert place.desk.chat.messages == ()
    assert [message.content for message in place.app.store.path(slow)] == ["Slow question", "Hello there."]


def test_a_running_reply_is_whole_when_its_chat_is_shown_again(place: Place) -> None:
    """UI-09: what came while another chat was shown is there at once."""
    place.open()
    place.app.script.pause_after = 2
    place.desk.outbox.send("Slow question")
    place.qtbot.waitUntil(lambda: bool(place.desk.feed.running_ids))
    slow = next(iter(place.desk.feed.running_ids))
    place.qtbot.waitUntil(lambda: (now := place.desk.feed.live(slow)) is not None and now.has_text)
    place.desk.chat.show(None)
    place.desk.chat.show(slow)
    place.qtbot.waitUntil(lambda: place.desk.chat.id == slow and len(place.desk.chat.messages) == 2)
    live = place.desk.feed.live(slow)
    assert live is not None
    place.qtbot.waitUntil(lambda: "".join(live.content) == "Hello there")
    grown = Ear(place.desk.chat.grew)
    seen = place.desk.chat.messages[-1].content
    place.app.script.go_on.set()
    place.qtbot.waitUntil(lambda: not place.desk.chat.is_running)
    assert seen in ("Hello", "Hello there")
    assert place.desk.chat.messages[-1].content == "Hello there."
    assert "".join(str(content) for _, content, _ in grown.heard) in ("", ".", " there.")


def test_deleting_a_chat_stops_its_reply_and_shows_a_new_chat(place: Place) -> None:
    """UI-09: delete the chat while it streams; undo brings it back with what there was."""
    place.open()
    place.begin("Delete me")
    doomed = place.desk.chat.id
    assert doomed is not None
    place.qtbot.waitUntil(lambda: place.desk.conversations.find(doomed) is not None)
    place.desk.conversations.delete(doomed)
    place.qtbot.waitUntil(lambda: not place.desk.feed.running_ids and place.desk.chat.id is None)
    assert place.desk.deletions.can_undo
    place.desk.deletions.undo()
    place.qtbot.waitUntil(lambda: place.desk.chat.id == doomed)
    assert place.desk.chat.messages[0].content == "Delete me"
    assert place.desk.chat.messages[-1].state == "stopped"


def test_renaming_a_chat_while_it_streams_is_safe(place: Place) -> None:
    """UI-09: rename while it streams."""
    place.open()
    place.begin("Name me")
    ident = place.desk.chat.id
    assert ident is not None
    place.desk.conversations.rename(ident, "A better name")
    place.app.script.go_on.set()
    place.qtbot.waitUntil(lambda: not place.desk.outbox.is_running)
    place.qtbot.waitUntil(
        lambda: (s := place.desk.conversations.find(ident)) is not None and s.title == "A better name"
    )
    assert place.desk.chat.messages[-1].content == "Hello there."


def test_regenerate_makes_a_sibling_and_siblings_can_be_shown(place: Place) -> None:
    place.open()
    place.say("Again")
    first = place.desk.chat.messages[-1]
    place.app.script.pieces = ("Another",)
    place.desk.outbox.regenerate(first.id)
    place.qtbot.waitUntil(lambda: place.desk.chat.messages[-1].content == "Another")
    second = place.desk.chat.messages[-1]
    assert (second.sibling_index, second.sibling_count) == (1, 2)
    assert len(place.desk.chat.messages) == 2
    place.desk.chat.select_sibling(second.id, -1)
    place.qtbot.waitUntil(lambda: place.desk.chat.messages[-1].content == "Hello there.")


def test_an_edit_makes_a_branch_from_there(place: Place) -> None:
    place.open()
    place.say("One")
    place.say("Two")
    dropped: list[int] = []
    place.desk.chat.truncated.connect(dropped.append)
    first = place.desk.chat.messages[0]
    place.desk.outbox.edit(first.id, "One, but better")
    place.qtbot.waitUntil(lambda: len(place.desk.chat.messages) == 2 and not place.desk.outbox.is_running)
    assert dropped == [first.id]
    assert [message.content for message in place.desk.chat.messages] == ["One, but better", "Hello there."]


def test_a_deleted_message_comes_back_with_undo(place: Place) -> None:
    place.open()
    place.say("One")
    place.say("Two")
    third = place.desk.chat.messages[2]
    said: list[str] = []
    place.desk.deletions.announced.connect(said.append)
    place.desk.chat.delete_message(third.id)
    place.qtbot.waitUntil(lambda: len(place.desk.chat.messages) == 2 and bool(said))
    assert said == ["2 messages deleted"]
    place.desk.deletions.undo()
    place.qtbot.waitUntil(lambda: len(place.desk.chat.messages) == 4)


def test_deleting_the_reply_that_is_being_written_stops_it_first(place: Place) -> None:
    place.open()
    place.begin("Talk")
    reply = place.desk.chat.messages[-1]
    place.desk.chat.delete_message(reply.id)
    place.qtbot.waitUntil(lambda: len(place.desk.chat.messages) == 1 and not place.desk.outbox.is_running)
    assert place.desk.chat.messages[0].content == "Talk"


def test_drafts_are_kept_per_chat(place: Place) -> None:
    place.open()
    place.say("One")
    first = place.desk.chat.id
    place.desk.drafts.change("half a thought")
    place.desk.chat.show(None)
    restored: list[str] = []
    place.desk.drafts.restored.connect(restored.append)
    place.qtbot.waitUntil(lambda: place.desk.chat.id is None)
    place.desk.drafts.change("another")
    place.desk.chat.show(first)
    place.qtbot.waitUntil(lambda: "half a thought" in restored)
    place.desk.chat.show(None)
    place.qtbot.waitUntil(lambda: restored[-1] == "another")


def test_options_of_a_new_chat_go_with_it(place: Place) -> None:
    place.open()
    place.desk.options.set_system_prompt("Be brief.")
    place.desk.options.set_sampling(SamplingParams(temperature=0.1))
    place.say("Hi")
    assert place.desk.chat.id is not None
    stored = place.app.store.get(place.desk.chat.id)
    assert stored.system_prompt == "Be brief."
    assert stored.sampling == SamplingParams(temperature=0.1)
    assert place.app.engine.requests[0].sampling.temperature == 0.1
    place.desk.options.set_sampling(None)
    place.qtbot.waitUntil(lambda: place.desk.options.own_sampling is None)


def test_the_last_chat_is_opened_at_start(place: Place) -> None:
    def fill(store: ConversationStore) -> None:
        conversation = store.create(title="Yesterday")
        store.append(conversation.id, None, Role.USER, "Hi")

    place.app.before_open = fill
    place.desk.start()
    place.qtbot.waitUntil(lambda: place.desk.chat.id is not None)
    assert place.desk.chat.messages[0].content == "Hi"


def test_a_database_that_cannot_be_opened_can_be_tried_again(place: Place) -> None:
    place.app.storage_error = DiskFull(place.app.home.database)
    told: list[Failure] = []
    place.desk.storage_failed.connect(told.append)
    place.desk.start()
    place.qtbot.waitUntil(lambda: bool(told))
    assert told[0].fixes == (Fix.RETRY,)
    place.app.storage_error = None
    place.open()
    assert place.desk.is_open


def test_search_finds_and_ends(place: Place) -> None:
    place.open()
    place.say("The millstone turns")
    place.desk.conversations.search("millstone")
    place.qtbot.waitUntil(lambda: len(place.desk.conversations.hits) >= 1)
    place.desk.conversations.search("")
    assert place.desk.conversations.hits == ()
