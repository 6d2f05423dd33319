"""llama.cpp's log, caught: the last error lines become reasons; `log_figures` reads the sizes of buffers in it."""

import logging
import re
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

from .binding import lib

DEBUG_LEVEL = 1
ERROR_LEVEL = 4
CONTINUED_LEVEL = 5
SPLIT_MARK = b"## SPLIT"
MAX_LINES = 2000

_CAUSE = re.compile(r"^[\w:~]+: (?:error (?:loading model|creating context)?[^:]*: )?")
_VAGUE = re.compile(r"^(?:failed to load model(?: from file)?|failed to create context|exception|failed to initialize)")

logger = logging.getLogger(__name__)


class LogCapture:
    """Owns the lines that llama.cpp writes while it is open (any thread's: the C logger is global)."""

    def __init__(self) -> None:
        self._lines: deque[tuple[int, str]] = deque(maxlen=MAX_LINES)

    def add(self, level: int, line: str) -> None:
        """Keep a line; a continued one is glued to the line before."""
        if level == CONTINUED_LEVEL and self._lines:
            before_level, before = self._lines.pop()
            level, line = before_level, before + line
        self._lines.append((level, line))

    @property
    def reason(self) -> str:
        """The most telling error line without its function name; empty where llama.cpp wrote none."""
        errors = [_CAUSE.sub("", line).strip().rstrip(".") for level, line in self._lines if level == ERROR_LEVEL]
        telling = [error for error in errors if error and not _VAGUE.match(error)]
        return (telling or errors or [""])[0]

    @property
    def lines(self) -> tuple[str, ...]:
        """What was written so far; of the DEBUG lines only those about the splits of a graph."""
        return tuple(line for _, line in self._lines)


_open_captures: list[LogCapture] = []
_lock = Lock()


def _receive(level: int, text: bytes, _data: int | None) -> None:
    # DEBUG has 2,000 lines a load, one a tensor: reading them would double the time of a small model.
    if level == DEBUG_LEVEL and SPLIT_MARK not in text:
        return
    line = text.decode("utf-8", "replace")
    if level == ERROR_LEVEL:
        logger.debug("llama.cpp: %s", line.rstrip())
    with _lock:
        for capture in _open_captures:
            capture.add(level, line)


# llama.cpp keeps the address: the callback object must live as long as the process.
_callback = lib.llama_log_callback(_receive)


def take_over_log() -> None:
    """Send llama.cpp's and ggml's log here instead of to stderr."""
    lib.llama_log_set(_callback, None)


@contextmanager
def capture_log() -> Generator[LogCapture]:
    """Catch the lines that llama.cpp writes inside the block."""
    capture = LogCapture()
    with _lock:
        _open_captures.append(capture)
    try:
        yield capture
    finally:
        with _lock:
            _open_captures.remove(capture)
