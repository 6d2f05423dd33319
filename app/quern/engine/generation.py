"""A running completion as its consumer sees it: a stream of events and a way to stop it."""

from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Protocol

from quern.spec import GenerationEvent, GenerationFailed, GenerationFinished


class EventSource(Protocol):
    """What a consumer of a completion needs; fakes in tests satisfy it too."""

    def __iter__(self) -> Iterator[GenerationEvent]:
        """Yield events until GenerationFinished or GenerationFailed, blocking between them."""
        ...

    def cancel(self) -> None:
        """Stop the completion; thread-safe, any number of times."""
        ...


class Generation:
    """Owns the event stream of one completion.

    Iterate it from one thread; it blocks until the next event and ends after GenerationFinished or GenerationFailed,
    one of which always comes last. `cancel` may be called from any thread, any number of times, at any time.
    """

    def __init__(self, on_cancel: Callable[[], None]) -> None:
        self._events: SimpleQueue[GenerationEvent] = SimpleQueue()
        self._on_cancel = on_cancel
        self._is_read = False

    def __iter__(self) -> Iterator[GenerationEvent]:
        while not self._is_read:
            event = self._events.get()
            self._is_read = isinstance(event, GenerationFinished | GenerationFailed)
            yield event

    def put(self, event: GenerationEvent) -> None:
        """Append an event; the engine thread's side."""
        self._events.put(event)

    def cancel(self) -> None:
        """Stop soon: the last event then is GenerationFinished with CANCELLED, within 200 ms."""
        self._on_cancel()
