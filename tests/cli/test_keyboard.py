"""What a person types while Quern is busy is kept for later."""

import os
import sys
from collections.abc import Iterator
from io import StringIO

import pytest

from quern.cli.keyboard import typing_ahead

if sys.platform == "win32":
    pytest.skip("Windows has no termios", allow_module_level=True)

import pty
import termios


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The other end of the terminal that is stdin."""
    outer, inner = pty.openpty()
    with os.fdopen(inner) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield outer
    os.close(outer)


def echoes() -> bool:
    return bool(termios.tcgetattr(sys.stdin.fileno())[3] & termios.ECHO)


def test_keys_are_not_shown_meanwhile_and_are_read_later(person: int) -> None:
    assert echoes()
    with typing_ahead():
        assert not echoes()
        os.write(person, b"next question\n")
    assert echoes()
    assert sys.stdin.readline() == "next question\n"


@pytest.mark.usefixtures("person")
def test_ctrl_c_throws_nothing_away() -> None:
    with typing_ahead():
        assert termios.tcgetattr(sys.stdin.fileno())[3] & termios.NOFLSH


@pytest.mark.usefixtures("person")
def test_the_terminal_is_as_before_after_an_error() -> None:
    with pytest.raises(RuntimeError), typing_ahead():
        raise RuntimeError
    assert echoes()


def test_a_stdin_that_is_no_terminal_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("text"))
    with typing_ahead():
        assert sys.stdin.readline() == "text"
