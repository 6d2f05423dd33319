"""A turn stores what the person said first, streams the reply, saves it as it grows and ends in a known state."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.runtime.fake_engine import FakeEngine

from quern.base import Database, DiskFull, QuernError
from quern.chat import (
    BUILT_IN_TEMPLATES,
    TABLES,
    ChatTemplate,
    ConversationStore,
    Figures,
    Message,
    MessageGone,
    MessageState,
    Role,
    TemplateRefused,
    TemplateRenderer,
)
from quern.runtime.turn.turn import ChatTurns, Turn
from quern.runtime.turn.turn_error import MessageEmpty, NotAPrompt, TurnRunning
from quern.runtime.turn.turn_event import (
    PromptAdvanced,
    ReplyGrew,
    SaveFailed,
    SaveRecovered,
    TurnEnded,
    TurnEvent,
    TurnFailed,
    TurnStarted,
)
from quern.runtime.turn.turn_prompt import ContextOverflow, count_tokens, prepare_turn
from quern.spec import FinishReason, SamplingParams, TextPiece

CHATML = BUILT_IN_TEMPLATES["chatml"]
SAMPLING = SamplingParams(temperature=0.0, stop=("END",))


@pytest.fixture(scope="module")
def renderer() -> Iterator[TemplateRenderer]:
    renderer = TemplateRenderer()
    yield renderer
    renderer.close()


@dataclass
class Room:
    """A store, the turns over it, and one conversation."""

    database: Database
    store: ConversationStore
    turns: ChatTurns
    conversation_id: int
    turn: Turn | None = None
    events: list[TurnEvent] = field(default_factory=list[TurnEvent])

    def send(self, text: str, engine: FakeEngine, template: ChatTemplate = CHATML) -> Turn:
        return self.listen(self.turns.send(self.conversation_id, text, engine, template, SAMPLING, "fake"))

    def listen(self, turn: Turn) -> Turn:
        self.events = []
        turn.events.subscribe(self.events.append)
        return turn

    def contents(self) -> list[str]:
        return [message.content for message in self.store.path(self.conversation_id)]


@pytest.fixture
def room(tmp_path: Path, renderer: TemplateRenderer) -> Iterator[Room]:
    database = Database.open(tmp_path / "quern.db", (TABLES,), tmp_path / "backups")
    store = ConversationStore(database)
    turns = ChatTurns(store, renderer)
    yield Room(database, store, turns, store.create(system_prompt="Be brief.").id)
    turns.close()
    database.close()


def until(condition: Callable[[], object], timeout_s: float = 10.0) -> None:
    """Wait until `condition()` is true."""
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


def test_a_turn_is_told_from_start_to_end_and_stored(room: Room) -> None:
    engine = FakeEngine("Hel", "lo", "!")
    reply = room.send("hi", engine).wait(10)
    started, *middle, ended = room.events
    assert isinstance(started, TurnStarted)
    assert started.user is not None
    assert (started.user.content, started.reply.state) == ("hi", MessageState.STREAMING)
    assert isinstance(middle[0], PromptAdvanced)
    grown = [event.content_delta for event in middle if isinstance(event, ReplyGrew)]
    assert "".join(grown) == "Hello!"
    assert ended == TurnEnded(reply)
    stored = room.store.path(room.conversation_id)
    assert stored == (started.user, reply)
    assert (reply.content, reply.state, reply.model_name) == ("Hello!", MessageState.COMPLETE, "fake")
    assert reply.figures is not None
    assert reply.figures.finish_reason is FinishReason.STOP


def test_the_prompt_holds_the_system_prompt_and_the_branch(room: Room) -> None:
    engine = FakeEngine("<think>hm</think>one")
    room.send("first", engine).wait(10)
    room.send("second", engine).wait(10)
    assert engine.prompts[-1] == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nfirst<|im_end|>\n"
        "<|im_start|>assistant\none<|im_end|>\n<|im_start|>user\nsecond<|im_end|>\n<|im_start|>assistant\n"
    )
    assert engine.requests[-1].sampling.stop == ("END", "<|im_end|>", "<|im_start|>")


def test_the_persons_message_is_stored_before_anything_is_computed(room: Room) -> None:
    engine = FakeEngine("x", hold_at=0)
    turn = room.send("keep me", engine)
    until(lambda: engine.requests)
    assert room.contents() == ["keep me", ""]
    engine.gate.set()
    turn.wait(10)


def test_reasoning_is_kept_apart_with_its_duration(room: Room) -> None:
    reply = room.send("hi", FakeEngine("<thi", "nk>be", "cause</think>", "\n\nYes.")).wait(10)
    assert (reply.reasoning, reply.content) == ("because", "Yes.")
    assert reply.reasoning_ms is not None
    assert reply.reasoning_ms >= 0
    assert [e.reasoning_delta for e in room.events if isinstance(e, ReplyGrew) and e.reasoning_delta] == ["be", "cause"]
    assert room.store.message(reply.id) == reply


def test_a_template_that_opens_the_reasoning_starts_the_reply_inside(room: Room) -> None:
    template = ChatTemplate(CHATML.source + "{{ '<think>\n' }}")
    reply = room.send("hi", FakeEngine("because</think>Yes."), template).wait(10)
    assert (reply.reasoning, reply.content) == ("because", "Yes.")
    assert room.send("hi", FakeEngine("Yes.")).wait(10).reasoning_ms is None


def test_who_subscribes_late_hears_the_whole_turn(room: Room) -> None:
    turn = room.send("hi", FakeEngine("a", "b", "c"))
    reply = turn.wait(10)
    late: list[TurnEvent] = []
    turn.events.subscribe(late.append)
    assert [type(event) for event in late] == [TurnStarted, PromptAdvanced, ReplyGrew, TurnEnded]
    assert late[2] == ReplyGrew(reply.id, "abc", "")


def test_stopping_keeps_what_there_is(room: Room) -> None:
    engine = FakeEngine("some", " more", hold_at=1)
    turn = room.send("hi", engine)
    until(lambda: any(isinstance(event, ReplyGrew) for event in room.events))
    start = time.monotonic()
    turn.cancel()
    reply = turn.wait(10)
    assert time.monotonic() - start < 0.2
    assert (reply.content, reply.state) == ("some", MessageState.STOPPED)
    assert room.events[-1] == TurnEnded(reply)
    assert room.store.message(reply.id) == reply


def test_a_turn_that_is_stopped_before_its_first_word_ends_as_stopped(room: Room) -> None:
    engine = FakeEngine("never", hold_at=0)
    turn = room.send("hi", engine)
    turn.cancel()
    reply = turn.wait(10)
    assert (reply.content, reply.state) == ("", MessageState.STOPPED)


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_empty_text_is_refused_at_once(room: Room, text: str) -> None:
    with pytest.raises(MessageEmpty):
        room.send(text, FakeEngine("x"))
    assert room.contents() == []


def test_ui_10_one_turn_a_conversation(room: Room) -> None:
    """UI-10: Enter ten times, regenerate and edit during a stream: one generation, no duplicate rows."""
    engine = FakeEngine("reply", hold_at=0)
    turn = room.send("hi", engine)
    for _ in range(10):
        with pytest.raises(TurnRunning):
            room.turns.send(room.conversation_id, "hi", engine, CHATML, SAMPLING, "fake")
    until(lambda: engine.requests)
    user, reply = room.store.path(room.conversation_id)
    with pytest.raises(TurnRunning):
        room.turns.regenerate(reply.id, engine, CHATML, SAMPLING, "fake")
    with pytest.raises(TurnRunning):
        room.turns.edit(user.id, "other", engine, CHATML, SAMPLING, "fake")
    assert room.turns.running(room.conversation_id) is turn
    other = room.turns.send(room.store.create().id, "elsewhere", FakeEngine("y"), CHATML, SAMPLING, "fake")
    assert other.wait(10).content == "y"
    engine.gate.set()
    turn.wait(10)
    assert room.turns.running(room.conversation_id) is None
    assert room.contents() == ["hi", "reply"]
    assert len(engine.requests) == 1


def test_who_hears_the_end_may_send_at_once(room: Room) -> None:
    turns: list[Turn] = []

    def send_again(event: TurnEvent) -> None:
        if isinstance(event, TurnEnded) and not turns:
            turns.append(room.turns.send(room.conversation_id, "two", FakeEngine("2"), CHATML, SAMPLING, "fake"))

    turn = room.turns.send(room.conversation_id, "one", FakeEngine("1"), CHATML, SAMPLING, "fake")
    turn.events.subscribe(send_again)
    turn.wait(10)
    until(lambda: turns)
    turns[0].wait(10)
    assert room.contents() == ["one", "1", "two", "2"]


def test_regenerating_makes_a_sibling_and_editing_a_branch(room: Room) -> None:
    first = room.send("question", FakeEngine("first")).wait(10)
    turn = room.turns.regenerate(first.id, FakeEngine("second"), CHATML, SAMPLING, "fake")
    second = room.listen(turn).wait(10)
    assert isinstance(room.events[0], TurnStarted)
    assert room.events[0].user is None
    assert (second.sibling_index, second.sibling_count) == (1, 2)
    assert room.contents() == ["question", "second"]
    user = room.store.path(room.conversation_id)[0]
    engine = FakeEngine("third")
    room.turns.edit(user.id, "better question", engine, CHATML, SAMPLING, "fake").wait(10)
    assert room.contents() == ["better question", "third"]
    assert "question" not in engine.prompts[-1].replace("better question", "")
    again = room.turns.regenerate(user.id, FakeEngine("fourth"), CHATML, SAMPLING, "fake").wait(10)
    assert (room.contents(), again.sibling_count) == (["question", "fourth"], 3)


def test_only_prompts_are_answered(room: Room) -> None:
    reply = room.send("q", FakeEngine("a")).wait(10)
    orphan = room.store.append(room.conversation_id, None, Role.ASSISTANT, "first words")
    with pytest.raises(NotAPrompt):
        room.turns.edit(reply.id, "x", FakeEngine("b"), CHATML, SAMPLING, "fake")
    with pytest.raises(NotAPrompt):
        room.turns.regenerate(orphan.id, FakeEngine("b"), CHATML, SAMPLING, "fake")
    with pytest.raises(MessageGone):
        room.turns.regenerate(99, FakeEngine("b"), CHATML, SAMPLING, "fake")


def test_a_message_that_overflows_is_taken_back(room: Room) -> None:
    """It would make every later prompt of the conversation too long as well."""
    turn = room.send("x" * 500, FakeEngine("never", limit_tokens=256))
    with pytest.raises(ContextOverflow) as caught:
        turn.wait(10)
    assert caught.value.limit_tokens == 256
    assert caught.value.n_prompt_tokens > 500
    assert room.events[-1] == TurnFailed(caught.value, None)
    assert room.contents() == []
    assert room.store.get(room.conversation_id).title == ""
    room.send("short", FakeEngine("now", limit_tokens=256)).wait(10)
    assert room.contents() == ["short", "now"]
    assert room.store.get(room.conversation_id).title == "short"


def test_an_edit_that_overflows_is_taken_back_to_the_branch_that_was_shown(room: Room) -> None:
    room.send("first", FakeEngine("1")).wait(10)
    user = room.store.path(room.conversation_id)[0]
    room.turns.edit(user.id, "other", FakeEngine("2"), CHATML, SAMPLING, "fake").wait(10)
    room.store.select(user.id)
    turn = room.turns.edit(user.id, "x" * 500, FakeEngine("never", limit_tokens=256), CHATML, SAMPLING, "fake")
    with pytest.raises(ContextOverflow):
        room.listen(turn).wait(10)
    assert room.contents() == ["first", "1"]
    assert len(room.store.siblings(user.id)) == 2


def test_a_reply_written_anew_that_overflows_is_kept_as_failed(room: Room) -> None:
    first = room.send("x" * 500, FakeEngine("1")).wait(10)
    small = FakeEngine("never", limit_tokens=256)
    turn = room.listen(room.turns.regenerate(first.id, small, CHATML, SAMPLING, "fake"))
    with pytest.raises(ContextOverflow):
        turn.wait(10)
    failed = room.events[-1]
    assert isinstance(failed, TurnFailed)
    assert failed.reply is not None
    assert failed.reply.state is MessageState.FAILED
    retried = room.turns.regenerate(failed.reply.id, FakeEngine("now"), CHATML, SAMPLING, "fake").wait(10)
    assert (room.contents(), retried.sibling_count) == (["x" * 500, "now"], 2)


def test_an_overflow_that_cannot_be_taken_back_is_kept_as_failed(room: Room) -> None:
    def refuse(_message_id: int) -> None:
        raise DiskFull(Path("quern.db"))

    room.store.delete_message = refuse  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ContextOverflow):
        room.send("x" * 500, FakeEngine("never", limit_tokens=256)).wait(10)
    failed = room.events[-1]
    assert isinstance(failed, TurnFailed)
    assert failed.reply is not None
    assert room.contents() == ["x" * 500, ""]


def test_a_prompt_that_leaves_one_token_of_room_is_not_refused(renderer: TemplateRenderer) -> None:
    engine = FakeEngine("x")
    n_tokens = count_tokens(engine, CHATML, renderer, "", (), "hi")
    assert n_tokens == len("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n")
    engine = FakeEngine("x", limit_tokens=n_tokens + 1)
    message = _message("hi")
    assert prepare_turn(engine, CHATML, renderer, "", [message]).n_prompt_tokens == n_tokens
    with pytest.raises(ContextOverflow):
        prepare_turn(FakeEngine("x", limit_tokens=n_tokens), CHATML, renderer, "", [message])


def test_counting_a_draft_matches_what_is_sent(renderer: TemplateRenderer) -> None:
    engine = FakeEngine("x")
    assert count_tokens(engine, CHATML, renderer, "", (), "") == 0
    assert count_tokens(engine, CHATML, renderer, "", [_message("hi")], "") == count_tokens(
        engine, CHATML, renderer, "", (), "hi"
    )


def _message(content: str) -> Message:
    return Message(
        id=1,
        conversation_id=1,
        parent_id=None,
        role=Role.USER,
        content=content,
        reasoning="",
        reasoning_ms=None,
        state=MessageState.COMPLETE,
        model_name="",
        figures=None,
        created_at=0.0,
        sibling_index=0,
        sibling_count=1,
    )


def test_a_template_that_refuses_fails_the_turn_with_its_words(room: Room) -> None:
    template = ChatTemplate("{{ raise_exception('no chats today') }}")
    with pytest.raises(TemplateRefused):
        room.send("hi", FakeEngine("x"), template).wait(10)
    assert room.contents() == ["hi", ""]


@dataclass(eq=False)
class Broke(QuernError):
    """What a test's engine dies of."""


def test_a_generation_that_fails_keeps_its_text(room: Room) -> None:
    turn = room.send("hi", FakeEngine("half an ", "answ", failure=Broke()))
    with pytest.raises(Broke):
        turn.wait(10)
    failed = room.events[-1]
    assert isinstance(failed, TurnFailed)
    assert failed.reply == room.store.path(room.conversation_id)[-1]
    assert failed.reply is not None
    assert (failed.reply.content, failed.reply.state) == ("half an answ", MessageState.FAILED)


def test_an_engine_that_raises_anything_else_fails_the_turn_readably(room: Room) -> None:
    class Odd(FakeEngine):
        def tokenize(self, pieces: Sequence[TextPiece]) -> list[int]:
            raise ZeroDivisionError(f"odd: {len(pieces)}")

    with pytest.raises(QuernError) as caught:
        room.send("hi", Odd("x")).wait(10)
    assert "odd" in caught.value.what


def test_streamed_text_is_saved_within_a_second(room: Room) -> None:
    engine = FakeEngine("part one, ", "part two", hold_at=1)
    turn = room.send("hi", engine)
    until(lambda: any(isinstance(event, ReplyGrew) for event in room.events))
    reply_id = room.store.path(room.conversation_id)[-1].id
    until(lambda: room.store.message(reply_id).content == "part one, ", 1.2)
    assert room.store.message(reply_id).state is MessageState.STREAMING
    engine.gate.set()
    turn.wait(10)
    assert room.store.message(reply_id).content == "part one, part two"


class FailingStore(ConversationStore):
    """A store whose disk is full while `is_full`."""

    def __init__(self, database: Database, path: Path) -> None:
        super().__init__(database)
        self.is_full = False
        self._path = path

    def save_reply(
        self,
        message_id: int,
        content: str,
        reasoning: str,
        reasoning_ms: int | None,
        state: MessageState,
        figures: Figures | None = None,
    ) -> None:
        if self.is_full:
            raise DiskFull(self._path)
        super().save_reply(message_id, content, reasoning, reasoning_ms, state, figures)


def test_a_save_that_fails_is_said_and_the_text_is_stored_when_there_is_room(
    room: Room, renderer: TemplateRenderer, tmp_path: Path
) -> None:
    """DB-06 (turn half): the disk fills up while a reply streams; nothing is lost."""
    store = FailingStore(room.database, tmp_path / "quern.db")
    turns = ChatTurns(store, renderer)
    store.is_full = True
    engine = FakeEngine("the whole reply")
    turn = room.listen(turns.send(room.conversation_id, "hi", engine, CHATML, SAMPLING, "fake"))
    reply = turn.wait(10)
    assert (reply.content, reply.state) == ("the whole reply", MessageState.COMPLETE)
    assert isinstance(next(event for event in room.events if isinstance(event, SaveFailed)).error, DiskFull)
    failed = room.listen(turns.send(room.conversation_id, "next", engine, CHATML, SAMPLING, "fake"))
    with pytest.raises(DiskFull):
        failed.wait(10)
    assert [type(event) for event in room.events] == [TurnFailed]
    assert room.contents() == ["hi", ""]
    events: list[TurnEvent] = []
    turn.events.subscribe(events.append)
    store.is_full = False
    until(lambda: SaveRecovered() in events)
    assert room.contents() == ["hi", "the whole reply"]
    assert sum(isinstance(event, SaveFailed) for event in events) == 1
    turns.close()


def test_ui_09_a_conversation_that_is_deleted_while_it_streams_ends_its_turn(room: Room) -> None:
    """UI-09: dropped cleanly on delete."""
    engine = FakeEngine("a", "b", hold_at=0)
    turn = room.send("hi", engine)
    until(lambda: engine.requests)
    room.store.trash(room.conversation_id)
    room.store.purge_trash(0)
    engine.gate.set()
    assert turn.wait(10).content in ("ab", "a", "")
    assert isinstance(room.events[-1], TurnEnded)
    assert not any(isinstance(event, SaveFailed) for event in room.events)


def test_closing_stops_what_runs_and_stores_it(room: Room) -> None:
    engine = FakeEngine("a", hold_at=0)
    turn = room.send("hi", engine)
    until(lambda: engine.requests)
    room.turns.close()
    assert turn.wait(0).state is MessageState.STOPPED
    assert room.store.path(room.conversation_id)[-1].state is MessageState.STOPPED


KILLED = """
import sys, time
from pathlib import Path
from quern.base import Database
from quern.chat import BUILT_IN_TEMPLATES, TABLES, ConversationStore, TemplateRenderer
from quern.runtime.turn.turn import ChatTurns
from quern.runtime.turn.turn_event import ReplyGrew
from quern.spec import SamplingParams
from tests.runtime.fake_engine import FakeEngine

class Slow(FakeEngine):
    def submit(self, request):
        generation = super().submit(request)
        def events():
            for event in generation:
                time.sleep(0.02)
                yield event
        class Stream:
            cancel = generation.cancel
            def __iter__(self):
                return events()
        return Stream()

folder = Path(sys.argv[1])
database = Database.open(folder / "quern.db", (TABLES,), folder / "backups")
store = ConversationStore(database)
turns = ChatTurns(store, TemplateRenderer())
turn = turns.send(store.create().id, "sent", Slow(*"x" * 1000), BUILT_IN_TEMPLATES["chatml"], SamplingParams(), "m")
turn.events.subscribe(lambda event: print(time.time(), flush=True) if isinstance(event, ReplyGrew) else None)
turn.wait()
"""


@pytest.mark.parametrize("age_s", [0.3, 1.1, 2.0])
def test_db_01_a_killed_process_loses_at_most_the_last_second(tmp_path: Path, age_s: float) -> None:
    """DB-01: kill -9 while a reply streams; the message is there and the reply is at most a second behind."""
    root = Path(__file__).parents[3]
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=root, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        times = [float(process.stdout.readline())]
        end = times[0] + age_s
        while times[-1] < end:
            times.append(float(process.stdout.readline()))
        killed_at = time.time()
        process.kill()
    database = Database.open(tmp_path / "quern.db", (TABLES,), tmp_path / "backups")
    store = ConversationStore(database)
    assert store.settle_interrupted() == 1
    user, reply = store.path(store.conversations()[0].id)
    with database.reading() as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()
    assert (user.content, reply.state) == ("sent", MessageState.STOPPED)
    must_be_there = sum(at < killed_at - 1.0 for at in times)
    assert len(reply.content) >= must_be_there
