"""What the doctor found, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from quern.base import Home, QuernError
from quern.hardware import EngineInfo, Gap, Machine, gaps_of, gpu_fallback
from quern.models import ModelEntry
from quern.runtime.load.proof import Proof
from quern.runtime.privacy import impersonal


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
    engine: EngineInfo | QuernError
    trial: TrialReport | None
    home: Home
    is_offline: bool

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Where hardware and engine differ, the most basic first; without personal data."""
        return tuple(map(_impersonal_gap, gaps_of(self.machine, self.engine)))

    @property
    def gpu_fallback(self) -> Gap | None:
        """Why models run on the CPU although there is a GPU; None where they do not."""
        gap = gpu_fallback(self.machine, self.engine)
        return None if gap is None else _impersonal_gap(gap)

    @property
    def problems(self) -> tuple[QuernError, ...]:
        """What keeps Quern from working, most basic first."""
        trial = None if self.trial is None else self.trial.problem
        return tuple(found for found in (self.engine, trial) if isinstance(found, QuernError))


def _impersonal_gap(gap: Gap) -> Gap:
    return replace(gap, sentence=impersonal(gap.sentence), advice=impersonal(gap.advice))
