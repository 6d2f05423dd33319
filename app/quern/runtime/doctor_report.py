"""What the doctor found, as values and as JSON without personal data."""

from collections.abc import Mapping
from dataclasses import dataclass

from quern.base import Home, JsonObject, QuernError
from quern.hardware import Machine, default_thread_count
from quern.models import ModelEntry

from .privacy import impersonal
from .proof import Proof


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceReport:
    """Something that the installed engine can compute on; `kind` as llama.cpp names it (cpu, gpu, igpu, accel)."""

    name: str
    description: str
    kind: str
    total_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineReport:
    """What the installed llama.cpp says of itself; `system_info` is its own line of backends and CPU features."""

    version: str
    build: str
    system_info: str
    devices: tuple[DeviceReport, ...]

    @property
    def backends(self) -> tuple[str, ...]:
        """The backends that were loaded, from "CPU : AVX = 1 | FMA = 1 | CUDA : ARCHS = 890"."""
        return tuple(part.partition(" : ")[0] for part in self.system_info.split(" | ") if " : " in part)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialReport:
    """How the model that Quern starts with runs here: the `proof`, or the `problem` that stops it."""

    entry: ModelEntry
    proof: Proof | None = None
    problem: QuernError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    """Everything that was found. `engine` is the problem where the engine cannot be asked; `trial` is None without a
    model to try.
    """

    versions: Mapping[str, str]
    platform: str
    machine: Machine
    engine: EngineReport | QuernError
    trial: TrialReport | None
    home: Home
    is_offline: bool

    @property
    def problems(self) -> tuple[QuernError, ...]:
        """What keeps Quern from working, most basic first."""
        trial = None if self.trial is None else self.trial.problem
        return tuple(found for found in (self.engine, trial) if isinstance(found, QuernError))

    def to_json(self) -> JsonObject:
        """Return the report without personal data: the person's folder is "~", the account's name "<user>"."""
        cpu, memory = self.machine.cpu, self.machine.memory
        return {
            "versions": dict(self.versions),
            "platform": self.platform,
            "cpu": {
                "brand": cpu.brand,
                "architecture": cpu.architecture,
                "physical_cores": cpu.n_physical_cores,
                "logical_cores": cpu.n_logical_cores,
                "default_threads": default_thread_count(cpu),
                "features": list(cpu.features),
            },
            "memory": {"total_bytes": memory.total_bytes, "available_bytes": memory.available_bytes},
            "engine": _engine_json(self.engine),
            "trial": None if self.trial is None else _trial_json(self.trial),
            "data_folder": impersonal(str(self.home.root)),
            "offline": self.is_offline,
        }


def _engine_json(engine: EngineReport | QuernError) -> JsonObject:
    if isinstance(engine, QuernError):
        return {"problem": impersonal(str(engine))}
    return {
        "version": engine.version,
        "build": engine.build,
        "backends": list(engine.backends),
        "system_info": engine.system_info,
        "devices": [
            {
                "name": device.name,
                "description": device.description,
                "kind": device.kind,
                "total_bytes": device.total_bytes,
            }
            for device in engine.devices
        ],
        "problem": None,
    }


def _trial_json(trial: TrialReport) -> JsonObject:
    proof = trial.proof
    return {
        "model": trial.entry.name,
        "rung": None if proof is None else proof.rung.value,
        "remembered": None if proof is None else proof.remembered,
        "attempts": [
            {"rung": attempt.rung.value, "outcome": attempt.outcome.value, "detail": impersonal(attempt.last_words)}
            for attempt in (proof.attempts if proof is not None else ())
        ],
        "problem": None if trial.problem is None else impersonal(str(trial.problem)),
    }
