"""How much memory this process holds, wherever it runs."""

import mmap
import os
from pathlib import Path

import psutil
import pytest

from quern.runtime.system import resident_bytes


def test_linux_says_it_in_pages(tmp_path: Path) -> None:
    statm = tmp_path / "statm"
    statm.write_text("9000 512 300 1 0 2000 0\n")
    assert resident_bytes(statm) == 512 * mmap.PAGESIZE


@pytest.mark.parametrize("content", [None, "", "words only", "1"])
def test_elsewhere_psutil_is_asked(tmp_path: Path, content: str | None) -> None:
    statm = tmp_path / "statm"
    if content is not None:
        statm.write_text(content)
    assert abs(resident_bytes(statm) - psutil.Process(os.getpid()).memory_info().rss) < 64 * 1024**2
