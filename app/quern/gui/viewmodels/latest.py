"""Work of which only the newest question counts: one runs, the last one waits, those between are dropped."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Generic, TypeVar

from quern.base import Job, JobPool, QuernError
from quern.gui.bridge import Bridge

from .failure import is_wish

Result = TypeVar("Result")


class Overtaken(Enum):
    """What becomes of an answer whose question is not the newest any more: SHOWN all the same, or DROPPED."""

    SHOWN = auto()
    DROPPED = auto()


class Latest(Generic[Result]):
    """Owns at most one running job and one waiting question. Main thread only.

    `on_success` and `on_failure` hear of answers; Cancelled is no failure.
    """

    def __init__(
        self,
        bridge: Bridge,
        jobs: JobPool,
        overtaken: Overtaken,
        on_success: Callable[[Result], None],
        on_failure: Callable[[QuernError], None],
    ) -> None:
        self._bridge = bridge
        self._jobs = jobs
        self._overtaken = overtaken
        self._on_success = on_success
        self._on_failure = on_failure
        self._job: Job[Result] | None = None
        self._is_wanted = False
        self._waiting: Callable[[Job[Result]], Result] | None = None

    @property
    def is_running(self) -> bool:
        """Whether an answer is still to come."""
        return self._waiting is not None or (self._job is not None and self._is_wanted)

    def ask(self, work: Callable[[Job[Result]], Result]) -> None:
        """Ask for `work(job)`, in place of everything asked before."""
        if self._overtaken is Overtaken.DROPPED:
            self.drop()
        if self._job is None:
            self._start(work)
        else:
            self._waiting = work

    def drop(self) -> None:
        """Want no answer any more; what runs is cancelled."""
        self._waiting, self._is_wanted = None, False
        if self._job is not None:
            self._job.cancel()

    def _start(self, work: Callable[[Job[Result]], Result]) -> None:
        self._is_wanted = True
        self._job = self._jobs.start(work)
        self._bridge.call(self._job, self._succeed, self._fail)

    def _succeed(self, result: Result) -> None:
        is_wanted = self._go_on()
        if is_wanted:
            self._on_success(result)

    def _fail(self, error: QuernError) -> None:
        is_wanted = self._go_on()
        if is_wanted and not is_wish(error):
            self._on_failure(error)

    def _go_on(self) -> bool:
        """Start what waits; tell whether the answer that just came is wanted."""
        is_wanted, waiting = self._is_wanted, self._waiting
        self._job, self._is_wanted, self._waiting = None, False, None
        if waiting is not None:
            self._start(waiting)
        return is_wanted
