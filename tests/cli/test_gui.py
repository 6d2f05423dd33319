"""`quern gui`: usage, a folder that somebody else has, and the watcher's own flag."""

import threading
import time
from pathlib import Path

import pytest

from quern.base import Home, Ownership
from quern.cli import gui


def test_an_unknown_argument_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert gui.main(["--fullscreen"]) == gui.EXIT_USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert '"--fullscreen"' in captured.err


def test_a_folder_that_cannot_be_used_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("QUERN_HOME", str(tmp_path / "file" / "home"))
    assert gui.main([]) == 1
    assert "data folder" in capsys.readouterr().err


def test_an_owner_without_a_window_is_named(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """DB-03."""
    monkeypatch.setattr(gui, "LONGEST_VISIT_S", 0.2)
    home = Home(own_home)
    home.prepare()
    with Ownership.claim(home, "quern serve"):
        assert gui.main([]) == 1
    assert "quern serve" in capsys.readouterr().err


def test_a_command_that_has_the_folder_for_a_moment_is_waited_for(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(own_home)
    home.prepare()
    opened: list[float] = []

    def opens(_app: object, _home: Home, _report: Path | None) -> int:
        opened.append(time.monotonic())
        return 0

    monkeypatch.setattr(gui, "_run", opens)
    visitor = Ownership.claim(home, "quern chat")
    released: list[float] = []

    def leave() -> None:
        time.sleep(0.3)
        released.append(time.monotonic())
        visitor.release()

    thread = threading.Thread(target=leave)
    thread.start()
    assert gui.main([]) == 0
    thread.join()
    assert opened[0] > released[0]
