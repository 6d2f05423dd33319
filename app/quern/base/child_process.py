"""One started worker process: a JSON line in, a JSON line out, and what its end means."""

import json
import os
import subprocess
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock, Thread, Timer
from typing import IO

from .cancel import CancelToken
from .child_error import WorkerAborted, WorkerCrashed, WorkerFailed, WorkerTimedOut
from .errors import Cancelled, QuernError
from .json_value import Json
from .system import MEMORY_LIMIT, PARENT_PID, ExitKind, creation_flags, exit_kind, kill_tree, signal_name

MAX_ANSWER_BYTES = 64 << 20
_LAST_WORDS_LINES = 20

# Linux ends a confined child when the *thread* that started it ends (prctl(2), PR_SET_PDEATHSIG), so one thread that
# lives as long as this process starts them all.
_starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="quern-child-starter")


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """What one question may cost: seconds, and bytes of address space (None: no limit)."""

    time_s: float
    memory_bytes: int | None = None


class ChildProcess:
    """Owns one running worker and its three pipes. Not thread-safe, but `kill` may be called from any thread."""

    def __init__(self, name: str, command: Sequence[str], limits: ChildLimits) -> None:
        self._name = name
        environ = {**os.environ, PARENT_PID: str(os.getpid())}
        environ.pop(MEMORY_LIMIT, None)
        if limits.memory_bytes is not None:
            environ[MEMORY_LIMIT] = str(limits.memory_bytes)
        try:
            self._process = _starter.submit(_start, command, environ).result()
        except OSError as error:
            raise WorkerFailed(name, error.strerror or str(error)) from error
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._stdin, self._stdout, self._stderr = self._process.stdin, self._process.stdout, self._process.stderr
        self._stderr_tail: deque[bytes] = deque(maxlen=_LAST_WORDS_LINES)
        self._stderr_reader = Thread(target=self._keep_tail, args=(self._stderr,), daemon=True)
        self._stderr_reader.start()

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.poll() is None

    def ask(self, question: Json, guard: "Guard") -> Json:
        """Send `question` and return the answer.

        Raises WorkerCrashed, WorkerAborted, WorkerTimedOut, WorkerFailed or Cancelled.
        """
        line = b""
        try:
            self._stdin.write(json.dumps(question).encode() + b"\n")
            self._stdin.flush()
            line = self._stdout.readline(MAX_ANSWER_BYTES)
            answer: Json = json.loads(line)
        except (OSError, ValueError) as error:
            if len(line) >= MAX_ANSWER_BYTES:
                self.kill()
                raise WorkerFailed(self._name, "Its answer is too long.") from error
            if line.endswith(b"\n"):
                self.kill()
                raise WorkerFailed(self._name, "Its answer is not JSON.") from error
            raise self._end_without_answer(guard) from error
        _raise_if_error(self._name, answer)
        return answer

    def finish(self, guard: "Guard") -> None:
        """Close the worker's stdin and wait for its end. Raises like `ask` unless it ends well."""
        self._close_pipe(self._stdin)
        code = self._process.wait()
        if exit_kind(code) is not ExitKind.CLEAN:
            raise self._end_without_answer(guard)

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        kill_tree(self._process)

    def release(self) -> None:
        """Kill the process if it still runs, and give its pipes back."""
        self.kill()
        self._process.wait()
        self._stderr_reader.join()
        for pipe in (self._stdin, self._stdout, self._stderr):
            self._close_pipe(pipe)

    def _end_without_answer(self, guard: "Guard") -> QuernError:
        self._close_pipe(self._stdin)
        code = self._process.wait()
        self._stderr_reader.join()
        if (cause := guard.cause(self._name)) is not None:
            return cause
        words = b"".join(self._stderr_tail).decode(errors="replace").strip()
        match exit_kind(code):
            case ExitKind.CRASH:
                return WorkerCrashed(self._name, signal_name(code))
            case ExitKind.ABORT:
                return WorkerAborted(self._name, words)
            case ExitKind.CLEAN:
                return WorkerFailed(self._name, "It ended without an answer.")
            case ExitKind.ERROR:
                last_line = words.rpartition("\n")[2] or "It said nothing."
                return WorkerFailed(self._name, f"It ended with code {code}. {last_line}")

    def _keep_tail(self, stderr: Iterable[bytes]) -> None:
        self._stderr_tail.extend(line[:500] for line in stderr)

    @staticmethod
    def _close_pipe(pipe: IO[bytes]) -> None:
        try:
            pipe.close()
        except OSError:  # unsent bytes for a reader that is gone
            return


class Guard:
    """Kills a child when its time is over or its asker cancels. A context manager around one question."""

    def __init__(self, child: ChildProcess, timeout_s: float, cancel: CancelToken | None) -> None:
        self._child = child
        self._timeout_s = timeout_s
        self._cancel = cancel
        self._lock = Lock()
        self._is_over = False
        self._timed_out = False
        self._timer = Timer(timeout_s, self._time_out)
        self._timer.daemon = True

    def __enter__(self) -> "Guard":
        self._timer.start()
        if self._cancel is not None:
            self._cancel.on_cancel(self._kill)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_over = True
        self._timer.cancel()

    def cause(self, name: str) -> QuernError | None:
        """Why this guard killed the child, or None when it did not."""
        if self._timed_out:
            return WorkerTimedOut(name, self._timeout_s)
        if self._cancel is not None and self._cancel.is_cancelled:
            return Cancelled()
        return None

    def _time_out(self) -> None:
        with self._lock:
            self._timed_out = not self._is_over
        self._kill()

    def _kill(self) -> None:
        with self._lock:
            if not self._is_over:
                self._child.kill()


def _start(command: Sequence[str], environ: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        creationflags=creation_flags(),
        start_new_session=True,
    )


def _raise_if_error(name: str, answer: Json) -> None:
    if not isinstance(answer, dict) or not isinstance(error := answer.get("error"), dict):
        return
    kind, fields = error.get("kind", ""), error.get("fields")
    fields = fields if isinstance(fields, dict) else {}
    reason = error.get("reason") or fields.get("reason") or kind
    raise WorkerFailed(name, str(reason), str(kind), fields)
