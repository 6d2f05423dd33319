"""`quern` and `quern gui`: opens the window, or raises the one that is open; no typer, so that it opens fast."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quern.base import Home, HomeOwned, QuernError, Watcher, enable_crash_report, set_up_logging

from .failure import EXIT_FAILED, say, say_failure

if TYPE_CHECKING:
    from quern.runtime import App

WINDOW = "window"
EXIT_USAGE = 2
# A command of Quern owns the folder while it finds and proves a model.
LONGEST_VISIT_S = 5.0
VISIT_POLL_S = 0.05
# The watcher's own flag, never typed by a person: the report of the window that crashed follows.
RESTORED_FLAG = "--restored-after-crash"


def main(args: Sequence[str]) -> int:
    """Open the window and return its exit code: 0, 1 (it could not open; a sentence says why) or 2 (usage)."""
    match list(args):
        case []:
            report = None
        case [flag, path] if flag == RESTORED_FLAG:
            report = Path(path)
        case ["--help" | "-h"]:
            say("Usage: quern gui\n\nOpens the window. QUERN_HOME names another data folder.")
            return 0
        case unknown:
            say(f'"quern gui" takes no argument "{unknown[0]}". Type quern --help to see what there is.')
            return EXIT_USAGE
    try:
        return _open(Home.locate(), report)
    except QuernError as error:
        return say_failure(error)


def _open(home: Home, report: Path | None) -> int:
    try:
        app = _claim(home)
    except HomeOwned as owner:
        return _raise_owner(home, owner)
    set_up_logging(home)
    try:
        return _run(app, home, report)
    finally:
        app.close()


def _claim(home: Home) -> App:
    """Open the app; a command that has the folder for a moment is waited for. Raises HomeOwned for any other owner."""
    from quern.runtime import App

    deadline_s = time.monotonic() + LONGEST_VISIT_S
    while True:
        try:
            return App.open(home, WINDOW)
        except HomeOwned as owner:
            if owner.purpose == WINDOW or time.monotonic() > deadline_s:
                raise
        time.sleep(VISIT_POLL_S)


def _run(app: App, home: Home, restored_report: Path | None) -> int:
    try:
        from quern.gui.application import LaunchOptions, run
    except ImportError as error:
        say(f"The window cannot open because a system library is missing ({error}). The README lists what Qt needs.")
        return EXIT_FAILED
    report = enable_crash_report(home)
    watchers: list[Watcher] = []

    def watch_over() -> None:
        watchers.append(Watcher.start((*_this_program(), "gui"), report))

    def say_clean_exit() -> None:
        for watcher in watchers:
            watcher.say_clean_exit()

    options = LaunchOptions(
        after_first_paint=watch_over, on_end=say_clean_exit, was_restored=restored_report is not None
    )
    return run(app, options)


def _this_program() -> tuple[str, ...]:
    return (sys.executable,) if getattr(sys, "frozen", False) else (sys.executable, "-P", "-m", "quern")


def _raise_owner(home: Home, owner: HomeOwned) -> int:
    """Bring the window that owns the folder to the front; name the owner where it is no window."""
    from quern.gui.instance import raise_first_window

    if owner.purpose == WINDOW and raise_first_window(home):
        return 0
    return say_failure(owner)
