"""Asks `quern --worker NAME` in a child process, so that what crashes there does not crash here."""

import sys
from collections.abc import Callable, Sequence
from threading import Lock

from .cancel import CancelToken
from .child_error import WorkerCrashed
from .child_process import ChildLimits, ChildProcess, Guard
from .errors import Cancelled
from .json_value import Json

WorkerCommand = Callable[[str], Sequence[str]]


def worker_command(name: str) -> Sequence[str]:
    """Return the command line that runs worker `name` from a checkout, an installation or a bundle alike."""
    if getattr(sys, "frozen", False):
        return (sys.executable, "--worker", name)
    # -P: a json.py in the folder where Quern happens to be started must not be imported in place of the real one.
    return (sys.executable, "-P", "-m", "quern", "--worker", name)


def ask_worker(
    name: str,
    question: Json,
    limits: ChildLimits,
    cancel: CancelToken | None = None,
    *,
    command: WorkerCommand = worker_command,
) -> Json:
    """Start worker `name`, ask it one question, and return its answer once it has ended well.

    `limits.time_s` covers start, answer and end. `command` is replaced in tests.

    Raises WorkerCrashed (a fault, also while it shuts down), WorkerAborted, WorkerTimedOut, WorkerFailed, Cancelled.
    """
    if cancel is not None:
        cancel.raise_if_cancelled()
    child = ChildProcess(name, command(name), limits)
    try:
        with Guard(child, limits.time_s, cancel) as guard:
            answer = child.ask(question, guard)
            child.finish(guard)
            return answer
    finally:
        child.release()


class WorkerProcess:
    """Owns a worker that stays for many questions; it is started when needed and again after it died.

    Thread-safe: questions are asked one after another.
    """

    def __init__(self, name: str, limits: ChildLimits, *, command: WorkerCommand = worker_command) -> None:
        self._name = name
        self._limits = limits
        self._command = command
        self._asking = Lock()
        self._child: ChildProcess | None = None
        self._is_closed = False

    def start(self) -> None:
        """Start the process if it does not run, so that the first question need not wait for it."""
        with self._asking:
            self._running_child()

    def ask(self, question: Json, timeout_s: float | None = None, cancel: CancelToken | None = None) -> Json:
        """Return the worker's answer; `timeout_s` is the limits' time unless given. Raises like `ask_worker`.

        A worker that broke is gone afterwards; the next question starts a new one.
        """
        with self._asking:
            child = self._running_child()
            with Guard(child, self._limits.time_s if timeout_s is None else timeout_s, cancel) as guard:
                try:
                    return child.ask(question, guard)
                except WorkerCrashed as error:
                    raise (Cancelled() if self._is_closed else error) from None

    def close(self) -> None:
        """End the process; a question that waits for it, and every later one, raises Cancelled."""
        self._is_closed = True
        child = self._child
        if child is not None:
            child.kill()
        with self._asking:
            self._drop_child()

    def _running_child(self) -> ChildProcess:
        if self._is_closed:
            raise Cancelled()
        if self._child is None or not self._child.is_running:
            self._drop_child()
            self._child = ChildProcess(self._name, self._command(self._name), self._limits)
        return self._child

    def _drop_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.release()
