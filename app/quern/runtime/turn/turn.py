"""Chat turns: a person's message is stored, the prompt written, the reply streamed, saved and ended."""

from collections.abc import Callable
from functools import partial
from threading import Event, Lock, Thread

from quern.base import Job
from quern.chat import ChatTemplate, Conversation, ConversationStore, Exchange, Message, Role, TemplateRenderer
from quern.runtime.failure import as_quern_error
from quern.spec import SamplingParams

from .turn_error import MessageEmpty, NotAPrompt, TurnRunning
from .turn_event import TurnEnded, TurnEvents, TurnFailed, TurnStarted
from .turn_prompt import ChatEngine
from .turn_run import ReplyRun, Speaker
from .turn_saver import ReplySaver

# A turn that was told to stop ends well within this.
CLOSE_TIME_S = 5.0


class Turn:
    """Owns one running answer. `events` tells the whole turn, also to those who subscribe late. Thread-safe."""

    def __init__(self, conversation_id: int, work: Callable[["Turn"], Message]) -> None:
        self.conversation_id = conversation_id
        self.events = TurnEvents()
        self.ended = Event()
        self.job: Job[Message] = Job(lambda _: work(self))

    def cancel(self) -> None:
        """Stop the reply; it keeps what it has and ends as STOPPED."""
        self.job.cancel()

    def wait(self, timeout_s: float | None = None) -> Message:
        """Block for the finished reply. Raises what TurnFailed says, or TimeoutError."""
        return self.job.wait(timeout_s)


class ChatTurns:
    """Owns the running turns, at most one a conversation, and the replies that still wait to be stored.

    `send`, `edit` and `regenerate` return at once; whatever takes time happens in the turn's thread.
    """

    def __init__(self, store: ConversationStore, renderer: TemplateRenderer) -> None:
        self._store = store
        self._renderer = renderer
        self._lock = Lock()
        self._running: dict[int, Turn] = {}
        self._unsaved: dict[int, ReplySaver] = {}

    def running(self, conversation_id: int) -> Turn | None:
        """The turn that answers this conversation now, or None."""
        with self._lock:
            return self._running.get(conversation_id)

    def send(
        self,
        conversation_id: int,
        text: str,
        engine: ChatEngine,
        template: ChatTemplate,
        sampling: SamplingParams,
        model_name: str,
    ) -> Turn:
        """Say `text` at the end of the shown branch and have it answered.

        Raises MessageEmpty and TurnRunning at once. What goes wrong later is told by TurnFailed: what the store, the
        template (see TemplateRenderer.render) and the engine raise, and ContextOverflow, after which `text` is no
        longer stored.
        """
        _require_text(text)

        def begin() -> Exchange:
            leaf_id = self._store.get(conversation_id).leaf_id
            return self._store.begin_exchange(conversation_id, leaf_id, text, model_name)

        return self._start(conversation_id, Speaker(engine, template, sampling, model_name), begin)

    def edit(
        self,
        message_id: int,
        new_text: str,
        engine: ChatEngine,
        template: ChatTemplate,
        sampling: SamplingParams,
        model_name: str,
    ) -> Turn:
        """Say `new_text` in place of an earlier message of a person, as a branch of its own, and have it answered.

        Raises as `send`, and NotAPrompt, MessageGone.
        """
        _require_text(new_text)
        message = self._store.message(message_id)
        if message.role is not Role.USER:
            raise NotAPrompt(message_id)

        def begin() -> Exchange:
            return self._store.begin_exchange(message.conversation_id, message.parent_id, new_text, model_name)

        return self._start(message.conversation_id, Speaker(engine, template, sampling, model_name), begin)

    def regenerate(
        self,
        message_id: int,
        engine: ChatEngine,
        template: ChatTemplate,
        sampling: SamplingParams,
        model_name: str,
    ) -> Turn:
        """Write another reply beside the reply `message_id`; of a person's message, write one more reply to it.

        A reply that failed or was stopped before its first word is replaced. Raises TurnRunning, NotAPrompt,
        MessageGone; later as `send`.
        """
        message = self._store.message(message_id)
        prompt = message
        if message.role is not Role.USER:
            if message.parent_id is None:
                raise NotAPrompt(message_id)
            prompt = self._store.message(message.parent_id)

        def begin() -> Exchange:
            return self._store.begin_reply(prompt, model_name, in_place_of=message)

        return self._start(message.conversation_id, Speaker(engine, template, sampling, model_name), begin)

    def close(self) -> None:
        """Stop every turn and store what can be stored; called once, at the end of the program."""
        with self._lock:
            running = tuple(self._running.values())
        for turn in running:
            turn.cancel()
        for turn in running:
            turn.ended.wait(CLOSE_TIME_S)
        with self._lock:
            unsaved = tuple(self._unsaved.values())
        for saver in unsaved:
            saver.stop()

    def _start(self, conversation_id: int, speaker: Speaker, begin: Callable[[], Exchange]) -> Turn:
        turn = Turn(conversation_id, lambda turn: self._run(turn, speaker, begin))
        with self._lock:
            if conversation_id in self._running:
                raise TurnRunning(conversation_id)
            self._running[conversation_id] = turn
        Thread(target=turn.job.run, name="quern-turn", daemon=True).start()
        return turn

    def _run(self, turn: Turn, speaker: Speaker, begin: Callable[[], Exchange]) -> Message:
        end = self._answer(turn, speaker, begin)
        with self._lock:
            del self._running[turn.conversation_id]
        turn.events.publish(end)
        turn.ended.set()
        if isinstance(end, TurnFailed):
            raise end.error
        return end.reply

    def _answer(self, turn: Turn, speaker: Speaker, begin: Callable[[], Exchange]) -> TurnEnded | TurnFailed:
        try:
            self._flush(turn.conversation_id)
            before = self._store.get(turn.conversation_id)
            exchange = begin()
        except Exception as error:
            return TurnFailed(as_quern_error(error), None)
        turn.events.publish(TurnStarted(exchange.user, exchange.reply))
        take_back = partial(self._take_back, before, exchange)
        run = ReplyRun(self._store, self._renderer, speaker, exchange, turn.events, turn.job.cancel_token, take_back)
        with self._lock:
            self._unsaved[turn.conversation_id] = run.saver
        end = run.run()
        if run.saver.is_saved:
            with self._lock:
                del self._unsaved[turn.conversation_id]
        return end

    def _take_back(self, before: Conversation, exchange: Exchange) -> None:
        """Make the conversation what it was `before` the exchange. Raises what the store raises."""
        assert exchange.user is not None
        self._store.delete_message(exchange.user.id)
        if before.leaf_id is not None:
            self._store.select(before.leaf_id)
        elif not before.title:
            self._store.rename(before.id, "")

    def _flush(self, conversation_id: int) -> None:
        """Store the reply before, if that has not worked yet. Raises what the store raises."""
        with self._lock:
            saver = self._unsaved.get(conversation_id)
        if saver is not None:
            saver.flush()


def _require_text(text: str) -> None:
    if not text.strip():
        raise MessageEmpty
