"""Addresses on the hub."""

import subprocess
import sys

import pytest

from quern.models import STARTER_FILE, HubFile
from quern.models.hub_file import hub_endpoint, name_in_url


def test_an_address_names_repository_revision_and_file() -> None:
    assert HubFile("a/b c", "d/e f.gguf", "refs/pr/1").url("https://hub.example/") == (
        "https://hub.example/a/b%20c/resolve/refs/pr/1/d/e%20f.gguf"
    )


def test_the_starter_is_pinned_to_a_revision_and_a_hash() -> None:
    assert len(STARTER_FILE.revision) == 40
    assert STARTER_FILE.sha256 is not None
    assert len(STARTER_FILE.sha256) == 64


def test_the_environment_names_the_hub_or_its_library_does() -> None:
    assert hub_endpoint({"HF_ENDPOINT": "http://127.0.0.1:1"}) == "http://127.0.0.1:1"
    code = "from quern.models.hub_file import hub_endpoint; print(hub_endpoint({}))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("https://")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://h/a/b.gguf", "b.gguf"),
        ("https://h/a/b%20c.gguf?x=/y", "b c.gguf"),
        ("https://h/", ""),
        ("https://h", ""),
    ],
)
def test_the_name_is_the_last_part_of_the_path(url: str, name: str) -> None:
    assert name_in_url(url) == name
