"""A one-way switch that tells long work to stop."""

from collections.abc import Callable
from threading import Event, Lock

from .errors import Cancelled


class CancelToken:
    """Owns one "stop, please" that any thread may set and the worker polls or is called back by."""

    def __init__(self) -> None:
        self._event = Event()
        self._lock = Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Set the switch, once; callbacks run in the caller's thread."""
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call `callback` when cancelled; at once if it already is."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled when the switch is set."""
        if self._event.is_set():
            raise Cancelled()

    def wait(self, timeout_s: float) -> bool:
        """Block until cancelled or `timeout_s` seconds have passed; tell whether it is cancelled."""
        return self._event.wait(timeout_s)
