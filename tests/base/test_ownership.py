"""One process owns the data folder, and a dead one does not (DB-03)."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from quern.base import Home, HomeOwned, HomeUnusable, Ownership, ownership, system

OWNER = """
import sys, time
from pathlib import Path
from quern.base import Home, Ownership
owner = Ownership.claim(Home(Path(sys.argv[1])), "window")
print("owned", flush=True)
time.sleep(600)
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "quern")
    home.prepare()
    return home


def test_a_second_process_is_told_who_owns_the_folder_and_inherits_it_from_the_dead(home: Home):
    with subprocess.Popen([sys.executable, "-c", OWNER, str(home.root)], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"owned\n"
        with pytest.raises(HomeOwned) as caught:
            Ownership.claim(home, "quern pull")
        assert (caught.value.pid, caught.value.purpose) == (owner.pid, "window")
        assert "already running" in caught.value.what
        owner.kill()
        owner.wait()
        with Ownership.claim(home, "quern pull"):
            pass


def test_the_same_process_cannot_own_it_twice_until_it_gives_it_back(home: Home):
    with Ownership.claim(home, "window") as first:
        with pytest.raises(HomeOwned) as caught:
            Ownership.claim(home, "second window")
        assert caught.value.pid == os.getpid()
        first.release()
        first.release()
        Ownership.claim(home, "third").release()
    assert stat.S_IMODE(home.lock.stat().st_mode) == 0o600


def test_an_owner_that_has_not_given_its_name_is_an_owner_still(home: Home, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ownership, "_NAME_WAIT_S", 0.05)
    for text in ("", "{", "[]", '{"pid": "x", "purpose": 1}'):
        with Ownership.claim(home, "window"):
            home.lock.write_text(text)
            with pytest.raises(HomeOwned) as caught:
                Ownership.claim(home, "second")
            assert caught.value.pid == 0


def test_a_full_disk_makes_an_owner_nameless_but_an_owner(home: Home, monkeypatch: pytest.MonkeyPatch):
    """DB-06."""
    monkeypatch.setattr(ownership, "_NAME_WAIT_S", 0.05)

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ownership.os, "write", refuse)
    with Ownership.claim(home, "window"), pytest.raises(HomeOwned):
        Ownership.claim(home, "second")


def test_a_folder_that_cannot_be_locked_is_explained(home: Home, monkeypatch: pytest.MonkeyPatch):
    home.lock.mkdir()
    with pytest.raises(HomeUnusable, match="Is a directory"):
        Ownership.claim(home, "window")
    home.lock.rmdir()

    def refuse(_: int) -> bool:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(ownership, "lock_file", refuse)
    with pytest.raises(HomeUnusable, match="No locks available"):
        Ownership.claim(home, "window")


def test_on_windows_a_byte_behind_the_text_is_locked(home: Home):
    calls: list[tuple[int, int, int]] = []

    def locking(descriptor: int, lock_mode: int, n_bytes: int) -> None:
        calls.append((os.lseek(descriptor, 0, os.SEEK_CUR), lock_mode, n_bytes))
        if len(calls) > 1:
            raise PermissionError(13, "Permission denied")

    descriptor = os.open(home.lock, os.O_RDWR | os.O_CREAT)
    assert system.lock_region(descriptor, locking)
    assert not system.lock_region(descriptor, locking)
    os.close(descriptor)
    assert calls == [(1 << 20, 2, 1)] * 2
