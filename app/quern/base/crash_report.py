"""Keeps what Python's fault handler says when native code ends the process, without personal data."""

import faulthandler
import os
import sys
import time
from pathlib import Path
from typing import BinaryIO

from quern import __version__

from .paths import Home

KEPT_REPORTS = 5
_PATTERN = "crash-*.txt"

# The fault handler writes to a bare file descriptor, so the file must stay open as long as the process lives.
_open_reports: list[BinaryIO] = []


def enable_crash_report(home: Home) -> Path:
    """Have a native fault of this process written to a new file in the log folder; return it.

    The oldest reports go. Raises OSError where the file cannot be made; `home` is prepared.
    """
    for old in sorted(home.logs.glob(_PATTERN))[: 1 - KEPT_REPORTS]:
        old.unlink(missing_ok=True)
    report = home.logs / f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    descriptor = os.open(report, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    file = os.fdopen(descriptor, "wb", buffering=0)
    file.write(f"Quern {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n".encode())
    faulthandler.enable(file)
    _open_reports.append(file)
    return report


def discard_crash_report(report: Path) -> None:
    """Delete the report of a process that ends well."""
    faulthandler.disable()
    while _open_reports:
        _open_reports.pop().close()
    report.unlink(missing_ok=True)


def take_person_out(report: Path) -> None:
    """Replace the home folder's path, which names the person, by "~" in a written report."""
    home = str(Path.home())
    # The fault handler writes characters beyond ASCII as \\xhh, \\uhhhh or \\Uhhhhhhhh (traceback.c: _Py_DumpASCII).
    spellings = {home.encode(), home.encode("ascii", "backslashreplace")}
    text = report.read_bytes()
    for spelling in spellings:
        text = text.replace(spelling, b"~")
    report.write_bytes(text)
