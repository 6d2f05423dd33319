"""The only thread door: what other threads publish arrives in the main thread, coalesced to the display's rate."""

import logging
from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from quern.base import Job, JobPhase, JobPool, Progress, Publisher, QuernError
from quern.runtime import as_quern_error

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
Event = TypeVar("Event")

# One batch for three frames at 60 Hz: shorter than anybody sees, and longer than the time between two tokens, so that
# a stream does not wake the main thread for each of them (which costs the decoding threads a core every time).
BATCH_MS = 50


def _ignore(_result: object) -> None:
    """Nothing follows from this result."""


class Bridge(QObject):
    """Owns the main thread's inbox and the one thread in which the database is used.

    Calls posted from other threads run in the main thread, in order; what `listen` hears arrives in batches of at
    most one every 50 ms. `failed` carries a QuernError that no caller handles.
    """

    failed = Signal(object)
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = JobPool("quern-store", 1)
        self._inbox: deque[Callable[[], None]] = deque()
        self._lock = Lock()
        self._is_awake = False
        self._is_open = True
        self._woken.connect(self._drain, Qt.ConnectionType.QueuedConnection)

    def post(self, call: Callable[[], None]) -> None:
        """Run `call` in the main thread soon. Any thread."""
        with self._lock:
            if not self._is_open:
                return
            self._inbox.append(call)
            is_first, self._is_awake = not self._is_awake, True
        if is_first:
            self._woken.emit()

    def call(
        self,
        job: Job[Result],
        on_success: Callable[[Result], None] = _ignore,
        on_failure: Callable[[QuernError], None] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Follow `job`: one of the two callbacks runs in the main thread when it ends, `on_progress` on the way.

        A cancelled job fails with Cancelled. Without `on_failure` the error goes to `failed`.
        """
        failure = on_failure or self.failed.emit
        if on_progress is not None:
            self.listen(job.progressed, lambda steps: on_progress(steps[-1]))

        def end(ended: Job[Result]) -> None:
            self.post(lambda: self._finish(ended, on_success, failure))

        job.on_end(end)

    def store(
        self,
        work: Callable[[], Result],
        on_success: Callable[[Result], None] = _ignore,
        on_failure: Callable[[QuernError], None] | None = None,
    ) -> Job[Result]:
        """Run `work` in the store thread, one after the other in the order of these calls, and follow it."""
        job = self._store.start(lambda _job: work())
        self.call(job, on_success, on_failure)
        return job

    def listen(self, publisher: Publisher[Event], on_events: Callable[[tuple[Event, ...]], None]) -> Callable[[], None]:
        """Hear what `publisher` publishes, in batches, in the main thread; the returned function ends that."""
        return _Listener(self, on_events).follow(publisher)

    def close(self) -> None:
        """Finish what the store thread was given, and deliver nothing more."""
        self._store.close()
        with self._lock:
            self._is_open = False
            self._inbox.clear()

    def _finish(
        self, job: Job[Result], on_success: Callable[[Result], None], on_failure: Callable[[QuernError], None]
    ) -> None:
        if job.phase is JobPhase.SUCCEEDED:
            on_success(job.wait())
        else:
            assert job.error is not None
            on_failure(as_quern_error(job.error))

    @Slot()
    def _drain(self) -> None:
        with self._lock:
            calls = tuple(self._inbox)
            self._inbox.clear()
            self._is_awake = False
        for call in calls:
            call()


class _Listener(Generic[Event]):
    """One subscription: collects events in their thread and hands them over in batches."""

    def __init__(self, bridge: Bridge, on_events: Callable[[tuple[Event, ...]], None]) -> None:
        self._bridge = bridge
        self._on_events = on_events
        self._lock = Lock()
        self._waiting: list[Event] = []
        self._is_scheduled = False
        self._is_followed = True
        self._unsubscribe: Callable[[], None] | None = None

    def follow(self, publisher: Publisher[Event]) -> Callable[[], None]:
        """Subscribe; return the function that ends it."""
        self._unsubscribe = publisher.subscribe(self._collect)
        return self._stop

    def _collect(self, event: Event) -> None:
        with self._lock:
            self._waiting.append(event)
            is_first, self._is_scheduled = not self._is_scheduled, True
        if is_first:
            self._bridge.post(self.deliver)

    def deliver(self) -> None:
        """Hand over what is there now, and look again a batch later: a busy publisher costs 20 batches a second."""
        with self._lock:
            events, self._waiting = tuple(self._waiting), []
            if not events:
                self._is_scheduled = False
        if events and self._is_followed:
            # A partial, not the bound method: Qt for Python would not keep this (plain Python) object alive for it.
            QTimer.singleShot(BATCH_MS, self._bridge, partial(_Listener[Event].deliver, self))
            self._on_events(events)

    def _stop(self) -> None:
        self._is_followed = False
        if self._unsubscribe is not None:
            self._unsubscribe()
