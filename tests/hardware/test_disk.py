"""A folder's disk is found before the folder is there."""

import shutil
from pathlib import Path

import pytest

from quern.hardware import disk_of


def test_a_folder_that_is_not_there_yet_lies_on_its_parents_disk(tmp_path: Path) -> None:
    here, later = disk_of(tmp_path), disk_of(tmp_path / "not" / "yet")
    assert here is not None and later is not None
    assert later.total_bytes == here.total_bytes >= here.free_bytes > 0


def test_a_disk_that_does_not_answer_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(shutil, "disk_usage", refuse)
    assert disk_of(tmp_path) is None
