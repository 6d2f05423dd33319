"""Runs the command line inside the test's process, with what it prints and its exit code as the result."""

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pytest

from quern.cli.app import main


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def is_one_sentence_failure(self) -> bool:
        """Whether it failed as it must: exit code 1, nothing on stdout, one line and no traceback on stderr."""
        is_one_line = self.err.endswith("\n") and self.err.count("\n") == 1
        return self.code == 1 and self.out == "" and is_one_line and "Traceback" not in self.err


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Return a function that runs `quern ARGS` in this process."""
    before = list(logging.getLogger().handlers)

    def run_here(*args: str) -> Ran:
        capsys.readouterr()
        code = main(args)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    yield run_here
    for handler in logging.getLogger().handlers[:]:
        if handler not in before:
            logging.getLogger().removeHandler(handler)
            handler.close()


@pytest.fixture
def run_child() -> Run:
    """Return a function that runs `quern ARGS` as a program of its own, `text` on its stdin."""

    def run_it(*args: str | bytes, text: bytes | None = None, environ: Mapping[str, str] | None = None) -> Ran:
        ended = subprocess.run(
            [sys.executable, "-m", "quern", *args],
            input=b"" if text is None else text,
            capture_output=True,
            env={**os.environ, **(environ or {})},
            timeout=120,
            check=False,
        )
        return Ran(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    return run_it
