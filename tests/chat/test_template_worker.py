"""A worker that breaks is replaced, and what happened is said in the words of this room."""

from collections.abc import Iterator

import pytest

from quern.base import Json, QuernError, WorkerAborted, WorkerCrashed, WorkerFailed, WorkerTimedOut
from quern.chat import TemplateBroken, TemplateSyntax, TemplateTooLong, TemplateTooSlow
from quern.chat.template_worker import TemplateWorker


class FakeProcess:
    """Raises what it is told to, once; counts how often it was asked whether it is ready."""

    failure: QuernError | None = None
    n_starts = 0

    def __init__(self, *_: object) -> None:
        pass

    def ask(self, question: dict[str, Json], _timeout_s: float | None = None) -> Json:
        if question == {"ready": ""}:
            FakeProcess.n_starts += 1
            return {"ready": True}
        failure, FakeProcess.failure = FakeProcess.failure, None
        if failure is not None:
            raise failure
        return {"text": "fine"}


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[TemplateWorker]:
    monkeypatch.setattr("quern.chat.template_worker.WorkerProcess", FakeProcess)
    FakeProcess.failure, FakeProcess.n_starts = None, 0
    yield TemplateWorker()


@pytest.mark.parametrize(
    ("failure", "error", "n_starts"),
    [
        (WorkerTimedOut("template", 0.8), TemplateTooSlow, 2),
        (WorkerCrashed("template", "SIGSEGV"), TemplateBroken, 2),
        (WorkerAborted("template", "abort"), TemplateBroken, 2),
        (WorkerFailed("template", "It ended with code 1."), TemplateBroken, 2),
        (WorkerFailed("template", "bad", "TemplateSyntax", {"reason": "bad"}), TemplateSyntax, 1),
        (WorkerFailed("template", "long", "TemplateTooLong", {"limit_chars": 5}), TemplateTooLong, 1),
        (WorkerFailed("template", "odd", "KeyError"), TemplateBroken, 1),
    ],
)
def test_a_failure_is_worded_and_a_broken_process_started_again(
    worker: TemplateWorker, failure: QuernError, error: type[QuernError], n_starts: int
) -> None:
    worker.start()
    FakeProcess.failure = failure
    with pytest.raises(error):
        worker.ask({"template": "x"}, 0.8)
    assert worker.ask({"template": "x"}, 0.8) == {"text": "fine"}
    assert FakeProcess.n_starts == n_starts
