"""A window that dies is opened again, once, and says so; one that is asked to end is not."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quern.base import Home

LIMIT_S = 40.0


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.1)


def owner(home: Home) -> int:
    """Return the pid of the window that owns `home`; 0 where none does."""
    try:
        return int(json.loads(home.lock.read_bytes() or b"{}").get("pid", 0))
    except (OSError, ValueError):
        return 0


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def watcher_of(pid: int) -> int | None:
    return next((child for child in children(pid) if "--watcher" in command_line(child)), None)


def end_for_good(pid: int) -> None:
    """Kill a window, its watcher first, so that a test that fails leaves nothing behind."""
    if pid and is_alive(pid):
        if (watcher := watcher_of(pid)) is not None:
            os.kill(watcher, signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def window(own_home: Path) -> Iterator[subprocess.Popen[bytes]]:
    environ = os.environ | {"QUERN_HOME": str(own_home), "QT_QPA_PLATFORM": "offscreen"}
    process = subprocess.Popen([sys.executable, "-m", "quern"], env=environ, start_new_session=True)
    yield process
    end_for_good(owner(Home(own_home)))
    end_for_good(process.pid)
    process.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_killed_window_opens_again_once(own_home: Path, window: subprocess.Popen[bytes]) -> None:
    home = Home(own_home)
    wait_for(lambda: owner(home) == window.pid and watcher_of(window.pid) is not None)
    window.kill()
    window.wait()
    wait_for(lambda: owner(home) not in (0, window.pid))
    second = owner(home)
    assert "--restored-after-crash" in command_line(second)
    wait_for(lambda: watcher_of(second) is not None)
    watcher = watcher_of(second)
    assert watcher is not None
    os.kill(second, signal.SIGKILL)
    wait_for(lambda: not is_alive(watcher) and not is_alive(second))
    time.sleep(1.0)
    assert owner(home) == second, "it was opened a third time"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_window_that_is_asked_to_end_stays_closed(own_home: Path, window: subprocess.Popen[bytes]) -> None:
    home = Home(own_home)
    wait_for(lambda: owner(home) == window.pid and watcher_of(window.pid) is not None)
    watcher = watcher_of(window.pid)
    assert watcher is not None
    window.terminate()
    assert window.wait(LIMIT_S) == 0
    wait_for(lambda: not is_alive(watcher))
    time.sleep(1.0)
    assert owner(home) == 0
