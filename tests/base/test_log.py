"""Log lines go to private, bounded files and never get in the way."""

import logging
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from quern.base import Home, log, set_up_logging


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    root, quern = logging.getLogger(), logging.getLogger("quern")
    handlers, level = list(root.handlers), quern.level
    home = Home(tmp_path / "quern")
    home.prepare()
    yield home
    for handler in [handler for handler in root.handlers if handler not in handlers]:
        root.removeHandler(handler)
        handler.close()
    quern.setLevel(level)


def logged(home: Home) -> str:
    return (home.logs / "quern.log").read_text(encoding="utf-8")


def test_quern_s_lines_are_kept_in_a_private_file(home: Home):
    """DB-13."""
    set_up_logging(home)
    logging.getLogger("quern.test").info("Grüße \ud800")
    logging.getLogger("quern.test").debug("too fine")
    logging.getLogger("urllib3").info("chatter")
    assert logged(home).endswith(" INFO quern.test: Grüße \\ud800\n")
    assert logged(home).count("\n") == 1
    assert stat.S_IMODE((home.logs / "quern.log").stat().st_mode) == 0o600


def test_setting_up_again_replaces_and_does_not_double(home: Home):
    set_up_logging(home)
    set_up_logging(home)
    logging.getLogger("quern.test").info("once")
    assert logged(home).count("once") == 1


def test_stderr_hears_what_it_asked_for(home: Home, capsys: pytest.CaptureFixture[str]):
    set_up_logging(home, logging.INFO)
    logging.getLogger("quern.test").info("loud")
    assert "loud" in capsys.readouterr().err
    set_up_logging(home)
    logging.getLogger("quern.test").info("quiet")
    assert "quiet" not in capsys.readouterr().err


def test_old_lines_go_and_the_files_stay_few_and_private(home: Home, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(log, "MAX_FILE_BYTES", 2000)
    set_up_logging(home)
    for n in range(200):
        logging.getLogger("quern.test").info("line %d", n)
    files = sorted(home.logs.iterdir())
    assert [file.name for file in files] == ["quern.log", "quern.log.1", "quern.log.2"]
    assert all(file.stat().st_size <= 2000 for file in files)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert "line 199" in logged(home)


def test_a_line_that_cannot_be_written_is_dropped_in_silence(home: Home, capsys: pytest.CaptureFixture[str]):
    set_up_logging(home)
    (home.logs / "quern.log").mkdir()
    logging.getLogger("quern.test").info("lost")
    assert capsys.readouterr().err == ""
    assert sys.stderr is not None
