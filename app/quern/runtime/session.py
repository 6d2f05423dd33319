"""A chat with one model that is stored nowhere: prove it, load it, ask it."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from quern.base import CancelToken
from quern.chat import (
    ChatMessage,
    ChatTemplate,
    Delta,
    DeltaKind,
    Figures,
    ReasoningSplitter,
    Role,
    TemplateRenderer,
    opening_of,
)
from quern.engine import CompletionRequest, EngineFacts, EventSource
from quern.gguf import content_id
from quern.models import ModelEntry
from quern.spec import (
    GenerationFailed,
    GenerationFinished,
    LoadSettings,
    PromptProcessed,
    SamplingParams,
    TextProduced,
)

from .load.proof import Proof
from .load.trial import Trials
from .system import resident_bytes
from .turn.turn_error import MessageEmpty
from .turn.turn_prompt import ChatEngine, prepare_messages, require_room


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply: its text, its reasoning ("" where there was none) and what it cost."""

    text: str
    reasoning: str
    figures: Figures


@dataclass(frozen=True, slots=True)
class Room:
    """How many tokens a prompt and its reply may have together; `can_grow` while the model was trained for more."""

    limit_tokens: int
    can_grow: bool


def prove_entry(
    entry: ModelEntry, settings: LoadSettings, trials: Trials, cancel: CancelToken, *, needed_bytes: int | None = None
) -> Proof:
    """Return the settings with which `entry` runs on this machine; a trial in a child where that is not known yet.

    `needed_bytes` as in `Trials.prove`. Raises the entry's own problem, NoRungWorks, or why the engine cannot load it
    at all.
    """
    if entry.problem is not None:
        raise entry.problem
    return trials.prove(entry.path, content_id(entry.path), settings, cancel, needed_bytes=needed_bytes)


def required_text(text: str) -> str:
    """Return `text` as a message: lone surrogates (bytes of an argument that were not UTF-8) replaced.

    Raises MessageEmpty for text without a visible character.
    """
    if not text.strip():
        raise MessageEmpty
    return text.encode("utf-8", "replace").decode("utf-8")


@contextmanager
def open_session(
    path: Path, settings: LoadSettings, template: ChatTemplate, progress: Callable[[float], None], cancel: CancelToken
) -> "Generator[ChatSession, None, None]":
    """Load the model at `path` with `settings`, which must have been proven, for the body of a `with`.

    `progress(share)` hears of 0..1. Raises what `load_engine` raises.
    """
    from quern.engine import load_engine  # the engine's library is not loaded before a model is

    renderer = TemplateRenderer()
    renderer.warm_up()
    try:
        before_bytes = resident_bytes()
        engine = load_engine(path, settings, progress, cancel)
        try:
            yield ChatSession(engine, template, renderer, resident_bytes() - before_bytes)
        finally:
            engine.close()
    finally:
        renderer.close()


class ChatSession:
    """Owns what was said so far to a loaded model; one reply at a time. `system_prompt` holds from the next one on.

    `grown_bytes` is by how much loading the model made this process's resident memory grow.
    """

    def __init__(
        self, engine: ChatEngine, template: ChatTemplate, renderer: TemplateRenderer, grown_bytes: int = 0
    ) -> None:
        self.grown_bytes = grown_bytes
        self._engine = engine
        self._template = template
        self._renderer = renderer
        self._said: tuple[ChatMessage, ...] = ()
        self.system_prompt = ""

    @property
    def facts(self) -> EngineFacts:
        """What is true of the loaded model."""
        return self._engine.facts

    @property
    def limit_tokens(self) -> int:
        """How many tokens a prompt and its reply may have together."""
        return self._engine.facts.request_limit_tokens

    @property
    def room(self) -> "Room":
        """How long a request can be, and whether a larger context would make it longer."""
        facts = self._engine.facts
        return Room(
            facts.request_limit_tokens, facts.n_ctx_train <= 0 or facts.request_limit_tokens < facts.n_ctx_train
        )

    def forget(self) -> None:
        """Start the conversation again; the system prompt stays."""
        self._said = ()

    def ask(self, text: str, sampling: SamplingParams) -> "ReplyStream":
        """Start the reply to `text`. Only a reply that ends well, or is cancelled after its first word, is remembered.

        Raises MessageEmpty, ContextOverflow, the template's errors and the engine's.
        """
        asked = (*self._said, ChatMessage(Role.USER.value, required_text(text)))
        system = [ChatMessage(Role.SYSTEM.value, self.system_prompt)] if self.system_prompt.strip() else []
        prepared = require_room(prepare_messages(self._engine, self._template, self._renderer, (*system, *asked)))
        with_stops = replace(sampling, stop=(*sampling.stop, *self._template.stop))
        events = self._engine.submit(CompletionRequest(tokens=prepared.tokens, sampling=with_stops))

        def remember(reply: Reply) -> None:
            if reply.text:
                self._said = (*asked, ChatMessage(Role.ASSISTANT.value, reply.text))

        return ReplyStream(events, ReasoningSplitter(opening_of(prepared.pieces)), remember)


class ReplyStream:
    """Owns one reply while it is written. Iterate it once, in one thread; `cancel` may be called from any."""

    def __init__(self, events: EventSource, splitter: ReasoningSplitter, on_reply: Callable[[Reply], None]) -> None:
        self._events = events
        self._splitter = splitter
        self._on_reply = on_reply

    def cancel(self) -> None:
        """Stop the reply; it then ends as CANCELLED with what there is."""
        self._events.cancel()

    def __iter__(self) -> Iterator[PromptProcessed | Delta | Reply]:
        """Yield the prompt's progress, then text as it comes, and the whole reply last. Raises what the engine met."""
        deltas: list[Delta] = []
        for event in self._events:
            match event:
                case PromptProcessed():
                    yield event
                case TextProduced():
                    grown = self._splitter.feed(event.text)
                    deltas += grown
                    yield from grown
                case GenerationFinished():
                    rest = self._splitter.finish()
                    deltas += rest
                    yield from rest
                    yield self._whole(deltas, event)
                case GenerationFailed():
                    raise event.error

    def _whole(self, deltas: Sequence[Delta], end: GenerationFinished) -> Reply:
        figures = Figures(usage=end.usage, timings=end.timings, finish_reason=end.reason)
        reply = Reply(_joined(deltas, DeltaKind.CONTENT), _joined(deltas, DeltaKind.REASONING), figures)
        self._on_reply(reply)
        return reply


def _joined(deltas: Sequence[Delta], kind: DeltaKind) -> str:
    return "".join(delta.text for delta in deltas if delta.kind is kind)
