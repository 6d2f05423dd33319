"""The thread that computes: takes tickets in order until it is closed."""

from queue import SimpleQueue
from threading import Lock, Thread, current_thread

from .errors import EngineBroken
from .loop import Loop
from .machine import Machine
from .ticket import Ticket


class EngineThread:
    """Owns a machine and the only thread that calls it (but for `abort`). Thread-safe; frees the machine at its end."""

    def __init__(self, machine: Machine, name: str) -> None:
        self._machine = machine
        self._inbox: SimpleQueue[Ticket | None] = SimpleQueue()
        self._lock = Lock()
        self._open_tickets: set[Ticket] = set()
        self._is_closed = False
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, ticket: Ticket) -> None:
        """Queue a ticket. Raises EngineBroken once closed."""
        with self._lock:
            if self._is_closed:
                raise EngineBroken("it was unloaded")
            self._open_tickets.add(ticket)
            self._inbox.put(ticket)

    def close(self) -> None:
        """Cancel every ticket, end the thread and free the machine; idempotent, returns when all is done."""
        with self._lock:
            is_first, self._is_closed = not self._is_closed, True
            tickets = tuple(self._open_tickets)
        if is_first:
            for ticket in tickets:
                ticket.cancel()
            self._inbox.put(None)
        if current_thread() is not self._thread:  # the garbage collector may close an engine from its own thread
            self._thread.join()

    def _run(self) -> None:
        loop = Loop(self._machine)
        while (ticket := self._inbox.get()) is not None:
            loop.serve(ticket)
            with self._lock:
                self._open_tickets.discard(ticket)
        self._machine.close()
