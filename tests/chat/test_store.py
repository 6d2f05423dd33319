"""Conversations and messages: what is stored comes back, in order, in branches, and whole."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from quern.base import Database, DatabaseReadOnly
from quern.chat import (
    TABLES,
    ConversationGone,
    ConversationStore,
    Figures,
    Message,
    MessageGone,
    MessageState,
    Role,
    Trash,
)
from quern.spec import FinishReason, SamplingParams, Timings, Usage

FIGURES = Figures(
    usage=Usage(prompt_tokens=12, cached_tokens=3, completion_tokens=45),
    timings=Timings(ttft_ms=81.5, prompt_tokens_per_s=300.0, decode_tokens_per_s=40.25),
    finish_reason=FinishReason.LENGTH,
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database.open(tmp_path / "quern.db", (TABLES,), tmp_path / "backups")
    yield database
    database.close()


@pytest.fixture
def store(database: Database) -> ConversationStore:
    return ConversationStore(database)


def say(store: ConversationStore, conversation_id: int, *texts: str, under: Message | None = None) -> Message:
    """Append `texts` one under the other, by turns from a person and a model; return the last."""
    last = under
    for text in texts:
        role = Role.ASSISTANT if last is not None and last.role is Role.USER else Role.USER
        last = store.append(conversation_id, None if last is None else last.id, role, text)
    assert last is not None
    return last


def contents(store: ConversationStore, conversation_id: int) -> list[str]:
    return [message.content for message in store.path(conversation_id)]


def rows(database: Database, sql: str) -> list[tuple[object, ...]]:
    with database.reading() as connection:
        return connection.execute(sql).fetchall()


def test_a_conversation_keeps_its_settings(store: ConversationStore) -> None:
    ident = store.create("Trip", "Be brief.", "SmolLM2").id
    sampling = SamplingParams(temperature=0.0, stop=("\n\n", "END"), seed=7)
    store.set_sampling(ident, sampling)
    store.save_draft(ident, "half a thou")
    kept = store.get(ident)
    assert (kept.title, kept.system_prompt, kept.model_name) == ("Trip", "Be brief.", "SmolLM2")
    assert (kept.sampling, kept.draft, store.draft(ident)) == (sampling, "half a thou", "half a thou")
    store.set_sampling(ident, None)
    store.set_system_prompt(ident, "Be long.")
    store.set_model_name(ident, "Other")
    kept = store.get(ident)
    assert (kept.sampling, kept.system_prompt, kept.model_name) == (None, "Be long.", "Other")


def test_the_draft_of_a_chat_that_has_not_begun_is_kept_too(store: ConversationStore) -> None:
    assert store.draft(None) == ""
    store.save_draft(None, "one")
    store.save_draft(None, "two")
    assert store.draft(None) == "two"


def test_messages_come_back_whole_and_in_order(store: ConversationStore) -> None:
    ident = store.create().id
    reply = say(store, ident, "q", "")
    store.save_reply(reply.id, "answer", "because", 1200, MessageState.COMPLETE, FIGURES)
    last = store.path(ident)[-1]
    assert (last.content, last.reasoning, last.reasoning_ms) == ("answer", "because", 1200)
    assert (last.state, last.figures, last.parent_id) == (MessageState.COMPLETE, FIGURES, store.path(ident)[0].id)
    assert contents(store, ident) == ["q", "answer"]


def test_the_first_message_of_a_person_names_the_conversation_once(store: ConversationStore) -> None:
    ident = store.create().id
    say(store, ident, "What is a quern?\nTell me.", "A mill.", "And a mill?")
    assert store.get(ident).title == "What is a quern? Tell me."
    store.rename(ident, "  Mills\n and stones ")
    say(store, ident, "More")
    assert store.get(ident).title == "Mills and stones"


def test_a_second_answer_is_a_sibling_and_selecting_switches_branches(store: ConversationStore) -> None:
    ident = store.create().id
    first = say(store, ident, "q", "a1", "q2", "a2")
    question, old, *_ = store.path(ident)
    new = store.append(ident, question.id, Role.ASSISTANT, "b1")
    assert contents(store, ident) == ["q", "b1"]
    assert (new.sibling_index, new.sibling_count) == (1, 2)
    assert store.siblings(new.id) == (old.id, new.id)
    store.select(old.id)
    assert contents(store, ident) == ["q", "a1", "q2", "a2"]
    assert store.get(ident).leaf_id == first.id
    assert (store.path(ident)[1].sibling_index, store.path(ident)[1].sibling_count) == (0, 2)


def test_an_edited_first_message_is_another_root(store: ConversationStore) -> None:
    ident, other = store.create().id, store.create().id
    say(store, ident, "q", "a")
    say(store, other, "unrelated root")
    edited = store.append(ident, None, Role.USER, "q, better")
    assert (edited.sibling_index, edited.sibling_count) == (1, 2)
    assert contents(store, ident) == ["q, better"]


def test_selecting_a_branch_goes_to_its_newest_message(store: ConversationStore) -> None:
    ident = store.create().id
    say(store, ident, "q", "a", "q2", "old end")
    question, answer, followup, _ = store.path(ident)
    store.append(ident, followup.id, Role.ASSISTANT, "new end")
    store.append(ident, question.id, Role.ASSISTANT, "other branch")
    store.select(answer.id)
    assert contents(store, ident) == ["q", "a", "q2", "new end"]


def test_deleting_takes_what_follows_and_undo_brings_it_back(store: ConversationStore) -> None:
    ident = store.create().id
    say(store, ident, "q", "a", "q2", "a2")
    before = store.path(ident)
    deleted = store.delete_message(before[2].id)
    assert deleted.message_ids == (before[2].id, before[3].id)
    assert contents(store, ident) == ["q", "a"]
    assert store.search("a2") == ()
    store.undelete(deleted)
    assert store.path(ident) == before
    assert [hit.message_id for hit in store.search("a2", 5)] == [before[3].id]


def test_deleting_a_shown_sibling_shows_another_and_deleting_a_hidden_one_changes_nothing(
    store: ConversationStore,
) -> None:
    ident = store.create().id
    say(store, ident, "q", "a1", "q2")
    question, old, _ = store.path(ident)
    new = store.append(ident, question.id, Role.ASSISTANT, "b1")
    store.delete_message(new.id)
    assert contents(store, ident) == ["q", "a1", "q2"]
    hidden = store.append(ident, question.id, Role.ASSISTANT, "c1")
    store.select(old.id)
    store.delete_message(hidden.id)
    assert contents(store, ident) == ["q", "a1", "q2"]


def test_a_thousand_messages_deep_branch_is_deleted_at_once(store: ConversationStore, database: Database) -> None:
    """SQLite's cascades end at 1,000 levels; a branch may be deeper."""
    ident = store.create().id
    last = say(store, ident, *["x"] * 1200)
    assert last.id == store.get(ident).leaf_id
    deleted = store.delete_message(store.path(ident)[0].id)
    assert len(deleted.message_ids) == 1200
    assert contents(store, ident) == []
    store.undelete(deleted)
    store.trash(ident)
    assert store.purge_trash(0) == 1
    assert rows(database, "SELECT count(*) FROM messages") == [(0,)]


def test_the_list_is_ordered_by_use_and_counts_messages(store: ConversationStore) -> None:
    first, second = store.create("first").id, store.create("second").id
    assert [row.id for row in store.conversations()] == [second, first]
    say(store, first, "q", "a")
    listed = store.conversations()
    assert [(row.id, row.n_messages) for row in listed] == [(first, 2), (second, 0)]
    store.pin(second)
    assert [row.pinned for row in store.conversations()] == [False, True]
    store.unpin(second)
    assert not any(row.pinned for row in store.conversations())


def test_db_14_order_follows_sequence_when_the_clock_goes_back(
    store: ConversationStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DB-14: the system clock is set back a day between two messages."""
    clock = [1_800_000_000.0]
    monkeypatch.setattr("time.time", lambda: clock[0])
    early = store.create("early").id
    late = store.create("late").id
    say(store, late, "before")
    clock[0] -= 86_400
    say(store, early, "one", "two", "three")
    assert contents(store, early) == ["one", "two", "three"]
    assert [row.id for row in store.conversations()] == [early, late]
    assert store.conversations()[0].updated_at < store.conversations()[1].updated_at
    question = store.path(early)[0]
    clock[0] -= 86_400
    newer = store.append(early, question.id, Role.ASSISTANT, "again")
    store.select(question.id)
    assert store.get(early).leaf_id == newer.id


def test_the_trash_hides_restores_and_is_purged_by_age(store: ConversationStore, database: Database) -> None:
    """DB-12: messages and search rows go with their conversation, in one transaction."""
    ident = store.create().id
    say(store, ident, "needle in here", "and there")
    store.trash(ident)
    assert store.conversations() == ()
    assert [row.id for row in store.conversations(Trash.ONLY)] == [ident]
    assert store.search("needle") == ()
    store.restore(ident)
    assert [hit.conversation_id for hit in store.search("needle in")] == [ident, ident]
    store.trash(ident)
    assert store.purge_trash(3600) == 0
    assert store.purge_trash(0) == 1
    with pytest.raises(ConversationGone):
        store.get(ident)
    assert rows(database, "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM message_index)") == [(0, 0)]
    check_index(database)


def check_index(database: Database) -> None:
    """The search index holds exactly the messages: FTS5 compares it with the table and raises where they differ."""
    with database.transaction() as connection:
        connection.execute("INSERT INTO message_index (message_index, rank) VALUES ('integrity-check', 1)")


def test_the_search_index_follows_every_change(store: ConversationStore, database: Database) -> None:
    ident = store.create().id
    reply = say(store, ident, "question", "")
    store.save_reply(reply.id, "partial text", "", None, MessageState.STREAMING)
    assert store.search("partial") == ()
    store.save_reply(reply.id, "final text", "", None, MessageState.COMPLETE)
    store.save_reply(reply.id, "final words", "", None, MessageState.COMPLETE)
    assert store.search("final text") == ()
    assert [hit.message_id for hit in store.search("final words")] == [reply.id]
    deleted = store.delete_message(reply.id)
    check_index(database)
    store.undelete(deleted)
    check_index(database)


def test_db_01_replies_of_a_dead_process_are_settled_as_stopped(store: ConversationStore) -> None:
    """DB-01 (store half): the partial answer stays, nothing claims to stream, and it can be found."""
    ident = store.create().id
    user = say(store, ident, "q")
    reply = store.append(ident, user.id, Role.ASSISTANT, "", state=MessageState.STREAMING)
    store.save_reply(reply.id, "half an answ", "", None, MessageState.STREAMING)
    assert store.settle_interrupted() == 1
    assert store.path(ident)[-1].state is MessageState.STOPPED
    assert store.path(ident)[-1].content == "half an answ"
    assert [hit.message_id for hit in store.search("half an")] == [reply.id]
    assert store.settle_interrupted() == 0


def test_an_exchange_is_stored_whole_and_empties_its_draft(store: ConversationStore) -> None:
    ident = store.create().id
    store.save_draft(ident, "hello there ")
    exchange = store.begin_exchange(ident, None, "hello there", "SmolLM2")
    assert exchange.user is not None
    assert [(m.role, m.state) for m in store.path(ident)] == [
        (Role.USER, MessageState.COMPLETE),
        (Role.ASSISTANT, MessageState.STREAMING),
    ]
    assert (exchange.reply.model_name, exchange.reply.parent_id) == ("SmolLM2", exchange.user.id)
    assert store.draft(ident) == ""
    store.save_draft(ident, "the next thought")
    store.begin_exchange(ident, exchange.reply.id, "something else", "SmolLM2")
    assert store.draft(ident) == "the next thought"


def test_an_exchange_under_a_missing_parent_stores_nothing(store: ConversationStore, database: Database) -> None:
    ident = store.create().id
    with pytest.raises(MessageGone):
        store.begin_exchange(ident, 4711, "hello", "")
    assert rows(database, "SELECT count(*) FROM messages") == [(0,)]
    assert store.get(ident).title == ""


def test_another_reply_replaces_one_that_never_said_a_word(store: ConversationStore) -> None:
    ident = store.create().id
    user = say(store, ident, "q")
    dead = store.append(ident, user.id, Role.ASSISTANT, "", state=MessageState.FAILED)
    spoken = store.begin_reply(user, "m", in_place_of=dead).reply
    assert store.siblings(spoken.id) == (spoken.id,)
    store.save_reply(spoken.id, "something", "", None, MessageState.FAILED)
    again = store.begin_reply(user, "m", in_place_of=spoken).reply
    assert store.siblings(again.id) == (spoken.id, again.id)


def test_what_is_gone_is_named(store: ConversationStore) -> None:
    ident = store.create().id
    with pytest.raises(ConversationGone):
        store.rename(ident + 1, "x")
    with pytest.raises(ConversationGone):
        store.path(ident + 1)
    for action in (store.select, store.delete_message, store.message, store.siblings):
        with pytest.raises(MessageGone):
            action(99)
    with pytest.raises(MessageGone):
        store.save_reply(99, "", "", None, MessageState.COMPLETE)


def test_lone_surrogates_and_nul_are_stored_as_text_can_be(store: ConversationStore) -> None:
    ident = store.create("\ud800 title").id
    message = say(store, ident, "a\ud83d\ude00b\udfff\x00c")
    assert message.content == "a😀b\ufffd\x00c"
    assert store.path(ident)[0].content == message.content


def test_every_thread_may_write(store: ConversationStore) -> None:
    ident = store.create().id

    def work(name: int) -> None:
        for number in range(20):
            store.append(ident, None, Role.USER, f"{name}/{number}")

    threads = [Thread(target=work, args=(name,)) for name in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.conversations()[0].n_messages == 100


def test_a_database_opened_read_only_can_be_read_but_not_changed(store: ConversationStore, tmp_path: Path) -> None:
    ident = store.create("kept").id
    say(store, ident, "findable text")
    other = Database.open_read_only(tmp_path / "quern.db", (TABLES,))
    try:
        reader = ConversationStore(other)
        assert [row.title for row in reader.conversations()] == ["kept"]
        assert len(reader.search("findable")) == 1
        with pytest.raises(DatabaseReadOnly):
            reader.rename(ident, "changed")
    finally:
        other.close()
