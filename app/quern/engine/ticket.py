"""A request's place in the queue: waiting, running or ended, and who may still stop it."""

from collections.abc import Callable
from enum import Enum, auto
from threading import Lock
from time import perf_counter

from quern.spec import FinishReason, GenerationEvent

from .generation import Generation
from .request import CompletionRequest
from .run import Run


class TicketPhase(Enum):
    """Where a request is in its life."""

    WAITING = auto()
    RUNNING = auto()
    ENDED = auto()


class Ticket:
    """Owns the life of one request. `cancel` is for any thread; `start`, `emit` and `end` are the engine thread's.

    A cancelled ticket that waits ends at once; one that runs has the machine aborted, which ends it within
    milliseconds; one that has ended is left alone, so that a late cancel never hits the request behind it.
    """

    def __init__(self, request: CompletionRequest, abort: Callable[[], None]) -> None:
        self.request = request
        self.submitted_s = perf_counter()
        self.generation = Generation(self.cancel)
        self._abort = abort
        self._lock = Lock()
        self._phase = TicketPhase.WAITING

    def cancel(self) -> None:
        """Stop the request, whatever it is doing."""
        with self._lock:
            match self._phase:
                case TicketPhase.WAITING:
                    self._phase = TicketPhase.ENDED
                    run = Run(request=self.request, submitted_s=self.submitted_s)
                    self.generation.put(run.finished(FinishReason.CANCELLED))
                case TicketPhase.RUNNING:
                    self._abort()
                case TicketPhase.ENDED:
                    pass

    def start(self) -> bool:
        """Begin to run; False when it was cancelled before."""
        with self._lock:
            if self._phase is not TicketPhase.WAITING:
                return False
            self._phase = TicketPhase.RUNNING
            return True

    def emit(self, event: GenerationEvent) -> None:
        """Pass an event on to the consumer."""
        self.generation.put(event)

    def end(self, event: GenerationEvent) -> None:
        """Pass the last event on; nothing can stop the request any more."""
        with self._lock:
            self._phase = TicketPhase.ENDED
        self.generation.put(event)
