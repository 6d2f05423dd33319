"""Long work as a value: what it is doing, how far it is, how it ended, and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum, auto
from threading import Event as ThreadEvent
from threading import Lock
from typing import Generic, TypeVar, cast

from .cancel import CancelToken
from .errors import Cancelled
from .events import Publisher

Result = TypeVar("Result")


class JobPhase(Enum):
    """Where a job is in its life."""

    WAITING = auto()
    RUNNING = auto()
    SUCCEEDED = auto()
    FAILED = auto()
    CANCELLED = auto()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: `done` of `total` units (`total` is None where unknown), and what it does now."""

    done: float
    total: float | None
    label: str = ""

    @property
    def fraction(self) -> float | None:
        """Share done, 0..1, or None where the total is unknown."""
        return None if not self.total else min(1.0, self.done / self.total)


class Job(Generic[Result]):
    """Owns one piece of background work: its phase, progress, cancel token and result.

    `progressed` publishes Progress, `ended` publishes the job itself once; both in the working thread.
    """

    def __init__(self, work: Callable[[Job[Result]], Result]) -> None:
        self._work = work
        self._lock = Lock()
        self._done = ThreadEvent()
        self._result: Result | None = None
        self.cancel_token = CancelToken()
        self.phase = JobPhase.WAITING
        self.error: BaseException | None = None
        self.progressed: Publisher[Progress] = Publisher()
        self.ended: Publisher[Job[Result]] = Publisher()

    def report(self, done: float, total: float | None = None, label: str = "") -> None:
        """Publish progress; raises Cancelled when the job was cancelled, so that workers stop where they report."""
        self.cancel_token.raise_if_cancelled()
        self.progressed.publish(Progress(done, total, label))

    def cancel(self) -> None:
        """Ask the work to stop; it ends as CANCELLED at its next report or poll."""
        self.cancel_token.cancel()

    def on_end(self, callback: Callable[[Job[Result]], None]) -> None:
        """Call `callback` when the job has ended; at once if it already has."""
        with self._lock:
            if not self._done.is_set():
                self.ended.subscribe(callback)
                return
        callback(self)

    def wait(self, timeout_s: float | None = None) -> Result:
        """Block for the result. Raises what the work raised, Cancelled, or TimeoutError."""
        if not self._done.wait(timeout_s):
            raise TimeoutError
        if self.error is not None:
            raise self.error
        return cast("Result", self._result)  # set whenever error is None

    def run(self) -> None:
        """Do the work in this thread. Errors are kept in `error`, never raised here."""
        try:
            self.cancel_token.raise_if_cancelled()
            self.phase = JobPhase.RUNNING
            self._result = self._work(self)
            phase = JobPhase.SUCCEEDED
        except Cancelled as error:
            self.error, phase = error, JobPhase.CANCELLED
        except BaseException as error:
            self.error, phase = error, JobPhase.FAILED
        with self._lock:
            self.phase = phase
            self._done.set()
        self.ended.publish(self)


class JobPool:
    """Owns a few worker threads for scans, downloads and saves."""

    def __init__(self, name: str, max_threads: int) -> None:
        self._executor = ThreadPoolExecutor(max_workers=max_threads, thread_name_prefix=name)

    def start(self, work: Callable[[Job[Result]], Result]) -> Job[Result]:
        """Queue `work(job)` and return its job at once."""
        job = Job(work)

        def end_if_dropped(future: Future[None]) -> None:
            if future.cancelled():
                job.cancel()
                job.run()

        self._executor.submit(job.run).add_done_callback(end_if_dropped)
        return job

    def close(self) -> None:
        """Let running jobs end and refuse new ones; waiting ones end as CANCELLED without having run."""
        self._executor.shutdown(wait=True, cancel_futures=True)
