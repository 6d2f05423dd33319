"""Where log lines go: a small set of files in the data folder that only this person can read, and stderr."""

import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from .paths import Home

MAX_FILE_BYTES = 1 << 20
KEPT_FILES = 3
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"

_installed: list[logging.Handler] = []


class PrivateLogFile(RotatingFileHandler):
    """Owns `quern.log` and its predecessors. A line that cannot be written (disk full) is dropped in silence."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=MAX_FILE_BYTES, backupCount=KEPT_FILES - 1, encoding="utf-8", delay=True)

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Drop the line."""


def set_up_logging(home: Home, stderr_level: int | None = None) -> None:
    """Send Quern's log lines from INFO up, and other libraries' from WARNING up, to the log file.

    `home` is prepared. What reaches `stderr_level` goes to stderr too; None: nothing does. A second call replaces the
    first.
    """
    root = logging.getLogger()
    while _installed:
        old = _installed.pop()
        root.removeHandler(old)
        old.close()
    _installed.append(PrivateLogFile(home.logs / "quern.log"))
    if stderr_level is not None:
        to_stderr = logging.StreamHandler()
        to_stderr.setLevel(stderr_level)
        _installed.append(to_stderr)
    for handler in _installed:
        handler.setFormatter(logging.Formatter(_FORMAT))
        root.addHandler(handler)
    logging.getLogger("quern").setLevel(logging.INFO)
