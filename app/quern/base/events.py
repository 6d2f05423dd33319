"""How rooms below the face tell what happened: publishers that call their subscribers in the publishing thread."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Event = TypeVar("Event")


class Publisher(Generic[Event]):
    """Owns a list of subscribers. Thread-safe; a subscriber must return quickly and may unsubscribe while called."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._subscribers: list[Callable[[Event], None]] = []

    def subscribe(self, subscriber: Callable[[Event], None]) -> Callable[[], None]:
        """Add `subscriber`; the returned function removes it again (any number of calls)."""
        with self._lock:
            self._subscribers.append(subscriber)

        def unsubscribe() -> None:
            with self._lock:
                if subscriber in self._subscribers:
                    self._subscribers.remove(subscriber)

        return unsubscribe

    def publish(self, event: Event) -> None:
        """Call every subscriber with `event`, in the order in which they came, in this thread."""
        with self._lock:
            subscribers = tuple(self._subscribers)
        for subscriber in subscribers:
            subscriber(event)
