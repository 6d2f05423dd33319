"""Reading at offsets."""

import os
from pathlib import Path

import pytest

from quern.gguf import BytesSource, FileSource, FileUnreadable


def test_bytes_and_files_read_alike(tmp_path: Path) -> None:
    data = bytes(range(200))
    path = tmp_path / "x"
    path.write_bytes(data)
    memory = BytesSource(data)
    with FileSource(path) as file:
        assert file.size_bytes == memory.size_bytes == 200
        for offset, length in ((0, 10), (190, 10), (190, 20), (200, 5), (300, 5), (0, 0)):
            assert file.read_at(offset, length) == memory.read_at(offset, length) == data[offset : offset + length]


def test_a_file_that_becomes_shorter_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(5000))
    with FileSource(path) as source:
        os.truncate(path, 100)
        with pytest.raises(FileUnreadable, match="became shorter while it was being read"):
            source.read_at(0, 5000)


def test_an_unchanged_file_passes_the_check(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    with FileSource(path) as source:
        source.check_unchanged()
        path.write_bytes(b"abcd")
        with pytest.raises(FileUnreadable, match="changed while it was being read"):
            source.check_unchanged()


class FailingFile:
    """A file on a disk that has failed."""

    def seek(self, offset: int) -> int:
        raise OSError(5, f"Input/output error at {offset}")

    def close(self) -> None:
        """Nothing to close."""


def test_a_failing_disk_is_reported_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    with FileSource(path) as source:
        source.close()
        monkeypatch.setattr(source, "_file", FailingFile())
        with pytest.raises(FileUnreadable, match="the disk reports an error"):
            source.read_at(0, 3)
