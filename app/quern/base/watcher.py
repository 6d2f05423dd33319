"""A small process beside the window that starts it again, once, when it dies without having said goodbye."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from subprocess import Popen

CLEAN_EXIT = b"Q"
RESTORED_FLAG = "--restored-after-crash"
# A window that was started again and dies within this time is not started a third time.
SECOND_CHANCE_AFTER_S = 60.0
_RELAUNCHED = "QUERN_RELAUNCHED"


class Watcher:
    """The window's end: owns the pipe whose end the watching process waits for."""

    def __init__(self, process: Popen[bytes], pipe: int, report: Path) -> None:
        self._process = process
        self._pipe: int | None = pipe
        self._report = report

    @classmethod
    def start(
        cls,
        relaunch: Sequence[str],
        report: Path,
        environ: Mapping[str, str] = os.environ,
    ) -> Watcher:
        """Start the watching process. `relaunch` is the command that opens the window again.

        `report` is this process's crash report (`enable_crash_report`); the new window gets
        `--restored-after-crash REPORT` appended to its command. Raises OSError where no process can be started.
        """
        from subprocess import DEVNULL, Popen

        from .system import creation_flags

        read_end, write_end = os.pipe()
        try:
            process = Popen(
                (*_watcher_command(), str(report), *relaunch),
                stdin=read_end,
                stdout=DEVNULL,
                stderr=DEVNULL,
                env=dict(environ),
                creationflags=creation_flags(),
                start_new_session=True,
            )
        except OSError:
            os.close(write_end)
            raise
        finally:
            os.close(read_end)
        return cls(process, write_end, report)

    def say_clean_exit(self) -> None:
        """Let the watching process end, and delete the empty crash report. Does nothing the second time."""
        from .crash_report import discard_crash_report

        pipe, self._pipe = self._pipe, None
        if pipe is None:
            return
        with suppress(OSError):  # where the watching process is gone
            os.write(pipe, CLEAN_EXIT)
        os.close(pipe)
        discard_crash_report(self._report)
        self._process.wait()


def watch(arguments: Sequence[str]) -> int:
    """Be the watching process: `arguments` are the report's path and the command that opens the window again.

    Blocks until the window ends; standard input is its pipe.
    """
    started_s = time.monotonic()
    if os.read(0, 1) == CLEAN_EXIT:
        return 0
    report, *relaunch = arguments
    lived_s = time.monotonic() - started_s
    if os.environ.get(_RELAUNCHED) and lived_s < SECOND_CHANCE_AFTER_S:
        return 0
    _clean(report)
    _relaunch([*_without_flag(relaunch), RESTORED_FLAG, report])
    return 0


def _watcher_command() -> tuple[str, ...]:
    if getattr(sys, "frozen", False):
        return (sys.executable, "--watcher")
    return (sys.executable, "-P", "-m", "quern", "--watcher")


def _without_flag(command: Sequence[str]) -> list[str]:
    if RESTORED_FLAG not in command:
        return list(command)
    place = command.index(RESTORED_FLAG)
    return [*command[:place], *command[place + 2 :]]


def _clean(report: str) -> None:
    from pathlib import Path

    from .crash_report import take_person_out

    with suppress(OSError):  # the report is lost then; the window is not
        take_person_out(Path(report))


def _relaunch(command: Sequence[str]) -> None:
    from subprocess import DEVNULL, Popen

    from .system import creation_flags

    Popen(
        command,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=DEVNULL,
        env={**os.environ, _RELAUNCHED: "1"},
        creationflags=creation_flags(),
        start_new_session=True,
    )
