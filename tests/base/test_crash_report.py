"""A native fault leaves a report that names no person."""

import faulthandler
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from quern.base import Home, crash_report, enable_crash_report
from quern.base.crash_report import KEPT_REPORTS, discard_crash_report, take_person_out

CRASHING = """
import ctypes, sys
from pathlib import Path
from quern.base import Home, enable_crash_report
home = Home(Path(sys.argv[1]))
home.prepare()
print(enable_crash_report(home), flush=True)
ctypes.string_at(0)
"""


def test_a_crash_is_reported_with_versions_and_stack(tmp_path: Path):
    run = subprocess.run([sys.executable, "-c", CRASHING, str(tmp_path)], capture_output=True, text=True, check=False)
    assert run.returncode < 0
    report = Path(run.stdout.strip())
    assert report.parent == tmp_path / "logs"
    text = report.read_text()
    assert text.startswith("Quern 0.")
    assert "Segmentation fault" in text
    assert "string_at" in text
    assert stat.S_IMODE(report.stat().st_mode) == 0o600


def test_a_process_that_ends_well_leaves_no_report(tmp_path: Path):
    home = Home(tmp_path)
    home.prepare()
    was_enabled = faulthandler.is_enabled()
    report = enable_crash_report(home)
    assert report.exists()
    discard_crash_report(report)
    assert not report.exists()
    if was_enabled:
        faulthandler.enable()


def test_only_the_newest_reports_are_kept(tmp_path: Path):
    home = Home(tmp_path)
    home.prepare()
    for n in range(KEPT_REPORTS + 3):
        (home.logs / f"crash-20200101-00000{n}-1.txt").touch()
    report = enable_crash_report(home)
    kept = sorted(path.name for path in home.logs.iterdir())
    discard_crash_report(report)
    assert len(kept) == KEPT_REPORTS
    assert kept[0] == "crash-20200101-000004-1.txt"
    assert kept[-1] == report.name


def test_the_person_s_folder_is_taken_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    person = tmp_path / "zoë"
    monkeypatch.setattr(crash_report.Path, "home", lambda: person)
    report = tmp_path / "crash.txt"
    escaped = str(person).replace("ë", "\\xeb")
    report.write_text(
        f'File "{person}/quern/a.py"\nFile "{escaped}/quern/b.py"\nFile "/usr/lib/c.py"\n', encoding="utf-8"
    )
    take_person_out(report)
    assert report.read_text(encoding="utf-8") == 'File "~/quern/a.py"\nFile "~/quern/b.py"\nFile "/usr/lib/c.py"\n'
