"""The process that runs templates, as this room sees it: a question, a text, or one of this room's errors."""

from contextlib import suppress
from threading import RLock, Thread

from quern.base import (
    ChildLimits,
    Json,
    JsonObject,
    QuernError,
    WorkerAborted,
    WorkerCrashed,
    WorkerFailed,
    WorkerProcess,
    WorkerTimedOut,
)

from .template_error import (
    TemplateBroken,
    TemplateRefused,
    TemplateSyntax,
    TemplateTooLong,
    TemplateTooSlow,
    TemplateUnsafe,
)

# A cold Python on a busy machine; a template's own time starts only when the process answers.
START_TIME_S = 20.0
MEMORY_BYTES = 512 << 20
OUTPUT_CHARS = 4 << 20


class TemplateWorker:
    """Owns the worker process. Thread-safe: questions are asked one after another.

    A process that broke, or was killed because its time was over, is replaced in the background at once.
    """

    def __init__(self) -> None:
        self._process = WorkerProcess("template", ChildLimits(START_TIME_S, MEMORY_BYTES))
        self._lock = RLock()
        self._is_ready = False

    def start(self) -> None:
        """Wait until the process answers."""
        with self._lock:
            if not self._is_ready:
                self._process.ask({"ready": ""})
                self._is_ready = True

    def start_quietly(self, source: str, time_s: float) -> None:
        """Start the process in the background and let it compile `source`; what is wrong shows when it is used."""

        def work() -> None:
            with self._lock, suppress(QuernError):
                self.start()
                self.ask({"ready": source}, time_s)

        Thread(target=work, name="quern-template-start", daemon=True).start()

    def ask(self, question: JsonObject, time_s: float) -> Json:
        """Return the answer to `question` (see quern.workers.template).

        Raises TemplateSyntax, TemplateRefused, TemplateUnsafe, TemplateTooLong, TemplateBroken, and TemplateTooSlow
        after `time_s`.
        """
        with self._lock:
            self.start()
            try:
                return self._process.ask(question, time_s)
            except WorkerTimedOut as error:
                self._replace()
                raise TemplateTooSlow from error
            except (WorkerCrashed, WorkerAborted) as error:
                self._replace()
                raise TemplateBroken("it crashed the process that ran it") from error
            except WorkerFailed as error:
                if not error.kind:
                    self._replace()
                raise _cause(error) from error

    def close(self) -> None:
        """End the process; questions afterwards raise Cancelled."""
        self._process.close()

    def _replace(self) -> None:
        self._is_ready = False
        Thread(target=self._start_again, name="quern-template-start", daemon=True).start()

    def _start_again(self) -> None:
        with suppress(QuernError):
            self.start()


def _cause(error: WorkerFailed) -> QuernError:
    """Return what the worker raised as this room's error."""
    reason = str(error.fields.get("reason") or error.reason.rstrip("."))
    match error.kind:
        case "TemplateSyntax":
            return TemplateSyntax(reason)
        case "TemplateRefused":
            return TemplateRefused(reason)
        case "TemplateUnsafe":
            return TemplateUnsafe(reason)
        case "TemplateTooLong":
            return TemplateTooLong(OUTPUT_CHARS)
        case _:
            return TemplateBroken(reason)
