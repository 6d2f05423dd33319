"""A window that dies is opened again once, with real processes: killed, crashed, closed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quern.base import watch, watcher

PROGRAM = Path(__file__).with_name("window_program.py")


def start(folder: Path, ending: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, str(PROGRAM), str(folder), ending])


def lives(folder: Path) -> list[list[str]]:
    path = folder / "lives"
    return [line.split(" ") for line in path.read_text().splitlines()] if path.exists() else []


def wait_until(condition: Callable[[], bool], timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.02)


def watchers(path: Path) -> list[int]:
    """Return the processes that watch a window started with `path` among its arguments or as its report."""
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--watcher" in words and str(path).encode() in words:
            found.append(int(process.name))
    return found


def test_a_killed_window_is_opened_again_once_and_told_so(tmp_path: Path):
    window = start(tmp_path, "wait")
    wait_until(lambda: len(lives(tmp_path)) == 1)
    window.send_signal(signal.SIGKILL)
    window.wait()
    wait_until(lambda: len(lives(tmp_path)) == 2)
    pid, flag, report = lives(tmp_path)[1]
    assert flag == "--restored-after-crash"
    assert Path(report).read_text().startswith("Quern 0.")
    os.kill(int(pid), signal.SIGKILL)
    wait_until(lambda: not watchers(tmp_path))
    time.sleep(0.5)
    assert len(lives(tmp_path)) == 2, "it was opened a third time"


def test_a_window_that_crashes_every_time_is_opened_again_once_and_leaves_two_reports(tmp_path: Path):
    window = start(tmp_path, "crash")
    window.wait()
    wait_until(lambda: len(lives(tmp_path)) == 2)
    wait_until(lambda: not watchers(tmp_path))
    time.sleep(0.5)
    assert len(lives(tmp_path)) == 2
    reports = sorted((tmp_path / "home" / "logs").glob("crash-*.txt"))
    assert len(reports) == 2
    assert all("Segmentation fault" in report.read_text() for report in reports)


def test_a_window_that_closes_well_takes_its_watcher_along(tmp_path: Path):
    assert start(tmp_path, "clean").wait() == 0
    assert watchers(tmp_path) == []
    time.sleep(0.3)
    assert len(lives(tmp_path)) == 1
    assert list((tmp_path / "home" / "logs").iterdir()) == []


def test_ctrl_c_in_the_terminal_does_not_reach_the_watcher(tmp_path: Path):
    window = start(tmp_path, "wait")
    wait_until(lambda: len(watchers(tmp_path)) == 1)
    (watching,) = watchers(tmp_path)
    assert os.getsid(watching) == watching
    assert os.getsid(watching) != os.getsid(window.pid)
    wait_until(lambda: len(lives(tmp_path)) == 1)
    os.kill(watching, signal.SIGKILL)
    window.kill()
    window.wait()


def test_the_watcher_is_small(tmp_path: Path):
    window = start(tmp_path, "wait")
    wait_until(lambda: len(lives(tmp_path)) == 1)
    (watching,) = watchers(tmp_path)
    time.sleep(0.5)
    status = Path(f"/proc/{watching}/status").read_text()
    rss_kb = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    os.kill(watching, signal.SIGKILL)
    window.kill()
    window.wait()
    assert rss_kb < 20_000


@pytest.mark.parametrize(
    ("was_relaunched", "lived_s", "is_opened"), [(False, 0.0, True), (True, 59.0, False), (True, 61.0, True)]
)
def test_a_second_chance_comes_after_a_minute(
    monkeypatch: pytest.MonkeyPatch, was_relaunched: bool, lived_s: float, is_opened: bool
):
    times = iter([100.0, 100.0 + lived_s])
    monkeypatch.setattr(watcher.time, "monotonic", lambda: next(times))

    def end_of_file(*_: int) -> bytes:
        return b""

    monkeypatch.setattr(watcher.os, "read", end_of_file)
    monkeypatch.setenv("QUERN_RELAUNCHED", "1" if was_relaunched else "")
    opened: list[list[str]] = []
    monkeypatch.setattr(watcher, "_relaunch", opened.append)
    assert watch(["new.txt", "quern", "gui", "--restored-after-crash", "old.txt", "-v"]) == 0
    assert opened == ([["quern", "gui", "-v", "--restored-after-crash", "new.txt"]] if is_opened else [])


def test_a_watcher_that_is_gone_does_not_keep_a_window_from_closing(tmp_path: Path):
    report = tmp_path / "crash.txt"
    report.touch()
    started = watcher.Watcher.start((sys.executable, "-c", ""), report)
    wait_until(lambda: len(watchers(report)) == 1)
    os.kill(watchers(report)[0], signal.SIGKILL)
    wait_until(lambda: not watchers(report))
    started.say_clean_exit()
    assert not report.exists()


def test_a_watcher_that_cannot_be_started_says_so_and_leaves_no_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no such python"))
    n_open = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="No such file"):
        watcher.Watcher.start(("quern",), tmp_path / "crash.txt")
    assert len(list(Path("/proc/self/fd").iterdir())) == n_open
