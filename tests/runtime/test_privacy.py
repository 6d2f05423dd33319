"""Reports name no person."""

import getpass
from pathlib import Path

import pytest

from quern.runtime.privacy import impersonal


@pytest.fixture(autouse=True)
def alice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/alice"))
    monkeypatch.setattr(getpass, "getuser", lambda: "alice")


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("/home/alice/.local/share/quern", "~/.local/share/quern"),
        ("/home/alice", "~"),
        ('"/home/alice/a.gguf" is damaged', '"~/a.gguf" is damaged'),
        ("/home/alices/x", "/home/alices/x"),
        ("/mnt/alice/models", "/mnt/<user>/models"),
        ("/mnt/disk/alice", "/mnt/disk/<user>"),
        ("alice in the text", "alice in the text"),
        ("/srv/models", "/srv/models"),
    ],
)
def test_the_persons_folder_and_name_are_replaced_in_paths(text: str, shared: str) -> None:
    assert impersonal(text) == shared


def test_an_account_without_a_name_is_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> str:
        raise OSError("No username set in the environment")

    monkeypatch.setattr(getpass, "getuser", nameless)
    assert impersonal("/home/alice/x") == "~/x"
