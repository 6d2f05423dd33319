"""Only Windows has to be told that a file is sparse."""

from pathlib import Path

import pytest

from quern.fit.measure.system import make_sparse


@pytest.mark.parametrize(("platform", "n_told"), [("linux", 0), ("darwin", 0), ("win32", 1)])
def test_files(tmp_path: Path, platform: str, n_told: int) -> None:
    told: list[int] = []
    with (tmp_path / "file").open("wb") as file:
        make_sparse(file, platform, told.append)
        assert told == [file.fileno()] * n_told


def test_this_platform_needs_no_more_than_this(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        make_sparse(file)
        file.truncate(1 << 30)
    assert (tmp_path / "file").stat().st_size == 1 << 30
