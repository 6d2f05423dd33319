"""What a chat turn tells while it runs; whoever subscribes late hears the turn from its start."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import RLock

from quern.base import Publisher, QuernError
from quern.chat import Message


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """Both messages are stored: what the person wrote (None when an old message is answered again), and the reply."""

    user: Message | None
    reply: Message


@dataclass(frozen=True, slots=True)
class PromptAdvanced:
    """`n_done` of `n_total` prompt tokens are processed."""

    n_done: int
    n_total: int


@dataclass(frozen=True, slots=True)
class ReplyGrew:
    """The reply got longer by these texts, one of which may be empty."""

    message_id: int
    content_delta: str
    reasoning_delta: str


@dataclass(frozen=True, slots=True)
class SaveFailed:
    """The reply could not be stored; its text is kept and storing it is tried again every second."""

    error: QuernError


@dataclass(frozen=True, slots=True)
class SaveRecovered:
    """What could not be stored is stored now."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The last event of a turn that ended by itself, by a limit or because it was stopped."""

    reply: Message


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The last event of a turn that could not go on.

    `reply` None means that nothing is stored, or no longer: the person's text belongs back in the composer. Else both
    messages are stored and the reply holds what there was.
    """

    error: QuernError
    reply: Message | None


TurnEvent = TurnStarted | PromptAdvanced | ReplyGrew | SaveFailed | SaveRecovered | TurnEnded | TurnFailed


class TurnEvents(Publisher[TurnEvent]):
    """Owns the subscribers of one turn and, in short, what they heard: progress once, the text as one piece."""

    def __init__(self) -> None:
        super().__init__()
        self._order = RLock()
        self._started: TurnStarted | None = None
        self._prompt: PromptAdvanced | None = None
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._save: SaveFailed | None = None
        self._end: TurnEnded | TurnFailed | None = None

    def subscribe(self, subscriber: Callable[[TurnEvent], None]) -> Callable[[], None]:
        """Call `subscriber` with what happened so far, then with each event; the returned function ends that."""
        with self._order:
            for event in self._so_far():
                subscriber(event)
            return super().subscribe(subscriber)

    def publish(self, event: TurnEvent) -> None:
        """Tell every subscriber, one event at a time."""
        with self._order:
            self._remember(event)
            super().publish(event)

    def _remember(self, event: TurnEvent) -> None:
        match event:
            case TurnStarted():
                self._started = event
            case PromptAdvanced():
                self._prompt = event
            case ReplyGrew(content_delta=content, reasoning_delta=reasoning):
                self._content.append(content)
                self._reasoning.append(reasoning)
            case SaveFailed():
                self._save = event
            case SaveRecovered():
                self._save = None
            case TurnEnded() | TurnFailed():
                self._end = event

    def _so_far(self) -> Iterator[TurnEvent]:
        if self._started is not None:
            yield self._started
            if self._prompt is not None:
                yield self._prompt
            if self._content:
                yield ReplyGrew(self._started.reply.id, "".join(self._content), "".join(self._reasoning))
        if self._save is not None:
            yield self._save
        if self._end is not None:
            yield self._end
