"""Asks the installed engine, in a worker, what it is and which devices it sees; the answer is kept while it holds."""

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from quern.base import (
    CancelToken,
    ChildLimits,
    Json,
    QuernError,
    WorkerAborted,
    WorkerCrashed,
    WorkerFailed,
    ask_worker,
)

from .address import pci_address
from .change import machine_stamp
from .engine_device import DeviceKind, EngineDevice, EngineInfo

WORKER = "devices"
TIME_S = 30.0

Ask = Callable[[CancelToken | None], Json]


class EngineProbe:
    """Owns the last answer, or the crash that was the answer; `stamp` says when it no longer holds. Thread-safe."""

    def __init__(self, ask: Ask, stamp: Callable[[], str]) -> None:
        self._ask = ask
        self._stamp = stamp
        self._lock = Lock()
        self._stamped: tuple[str, EngineInfo | QuernError] | None = None

    def info(self, cancel: CancelToken | None = None) -> EngineInfo:
        """Return what the engine says; the first time, and after a change of machine or engine, it is asked anew.

        Raises WorkerCrashed, WorkerAborted (both are remembered), WorkerTimedOut, WorkerFailed, Cancelled.
        """
        with self._lock:
            stamp = self._stamp()
            if self._stamped is None or self._stamped[0] != stamp:
                self._stamped = (stamp, self._asked(cancel))
            answer = self._stamped[1]
        if isinstance(answer, QuernError):
            raise answer
        return answer

    def forget(self) -> None:
        """Have the engine asked anew the next time."""
        with self._lock:
            self._stamped = None

    def _asked(self, cancel: CancelToken | None) -> EngineInfo | QuernError:
        try:
            return engine_info_of(self._ask(cancel))
        except (WorkerCrashed, WorkerAborted) as crash:
            return crash


def engine_info_of(answer: Json) -> EngineInfo:
    """Return the worker's answer typed. Raises WorkerFailed for one that it cannot have given."""
    match answer:
        case {
            "version": str(version),
            "build": str(build),
            "system_info": str(system_info),
            "backends": list(backends),
            "devices": list(devices),
            "complaint": str(complaint),
            "cuda_runtime": str() | None as cuda_runtime,
            "hidden_by": list(hidden_by),
        }:
            return EngineInfo(
                version=version,
                build=build,
                system_info=system_info,
                backends=tuple(map(str, backends)),
                devices=tuple(map(_device, devices)),
                complaint=complaint,
                cuda_runtime=cuda_runtime,
                hidden_by=tuple(map(str, hidden_by)),
            )
        case _:
            raise _not_understood()


def _device(answer: Json) -> EngineDevice:
    match answer:
        case {
            "name": str(name),
            "description": str(description),
            "kind": str(kind),
            "backend": str(backend),
            "free": int(free),
            "total": int(total),
            "address": str() | None as address,
        } if kind in tuple(DeviceKind):
            return EngineDevice(
                name=name,
                description=description,
                kind=DeviceKind(kind),
                backend=backend,
                free=free,
                total=total,
                address=None if address is None else pci_address(address),
            )
        case _:
            raise _not_understood()


def _not_understood() -> WorkerFailed:
    return WorkerFailed(WORKER, "its answer cannot be understood.")


def engine_stamp() -> str:
    """Return a text that changes when llama-cpp-python is installed anew, without importing it."""
    found = importlib.util.find_spec("llama_cpp")
    places = (found.submodule_search_locations or []) if found is not None else []
    asked = os.environ.get("LLAMA_CPP_LIB_PATH")
    folders = [Path(asked)] if asked else [Path(place) / "lib" for place in places]
    return " ".join(f"{folder}:{folder.stat().st_mtime_ns}" for folder in folders if folder.is_dir())


def _ask_worker(cancel: CancelToken | None) -> Json:
    return ask_worker(WORKER, {}, ChildLimits(TIME_S, None), cancel)


_probe = EngineProbe(_ask_worker, lambda: f"{machine_stamp()} {engine_stamp()}")


def ask_engine(cancel: CancelToken | None = None) -> EngineInfo:
    """Return what the installed engine is and sees: about a second the first time, then at once.

    Any thread but the window's. Raises as `EngineProbe.info`.
    """
    return _probe.info(cancel)


def forget_engine() -> None:
    """Have `ask_engine` ask anew, because somebody wants to see it done."""
    _probe.forget()
