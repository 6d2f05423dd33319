"""The child that tries a model out."""

from contextlib import suppress
from threading import Thread
from typing import Protocol

from quern.base import CancelToken, ChildLimits, Json, QuernError, WorkerProcess


class TrialWorker(Protocol):
    """One child that answers a trial's question (`quern.base.WorkerProcess`)."""

    def start(self) -> None:
        """Start the process, so that the question need not wait for it."""
        ...

    def prepare(self, question: Json, cancel: CancelToken | None = None) -> None:
        """Start the process and have it open the model meanwhile; returns at once and never raises."""
        ...

    def ask(self, question: Json, timeout_s: float | None = None, cancel: CancelToken | None = None) -> Json:
        """Return the answer, or raise how the child ended."""
        ...

    def close(self) -> None:
        """End the process."""
        ...


def trial_worker(limits: ChildLimits) -> TrialWorker:
    """Return a worker, not started yet, that runs `quern.workers.trial`."""
    return TrialProcess("trial", limits)


class TrialProcess(WorkerProcess):
    """Owns one trial child, which can open the model ahead of its question."""

    def prepare(self, question: Json, cancel: CancelToken | None = None) -> None:
        """Open the model in the background; the next `ask` waits for that. A failure is the next question's to tell."""
        assert isinstance(question, dict)
        ahead: Json = {**question, "only_opens": True}

        def open_model() -> None:
            with suppress(QuernError):
                self.ask(ahead, cancel=cancel)

        Thread(target=open_model, name="quern-trial-ahead", daemon=True).start()
