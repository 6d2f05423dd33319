"""A load is shown to a person and to nobody else."""

import sys

import pytest

from quern.cli.progress import loading_progress

from .test_reply import Terminal


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with loading_progress("model") as report:
        report(0.5)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_a_terminal_sees_what_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with loading_progress("ev\x1bil") as report:
        report(0.42)
    assert "Loading ev\N{REPLACEMENT CHARACTER}il" in terminal.getvalue()
