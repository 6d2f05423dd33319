"""What trying a model on this machine came to."""

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from quern.base import QuernError
from quern.spec import LoadSettings

from .rung import Rung

MAX_WORDS = 160


class Outcome(StrEnum):
    """How one attempt ended."""

    PASSED = "passed"
    CRASHED = "crashed"
    KILLED = "killed"
    ABORTED = "aborted"
    HUNG = "hung"
    NOT_NUMBERS = "not_numbers"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One rung, tried: how it ended, and the signal, last words or seconds that tell more."""

    rung: Rung
    outcome: Outcome
    detail: str = ""

    @property
    def last_words(self) -> str:
        """The last line of `detail`, cut to a readable length."""
        return self.detail.rpartition("\n")[2][:MAX_WORDS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Settings that this machine survives, and the `attempts` that found them, whether made now or `remembered`."""

    settings: LoadSettings
    rung: Rung
    remembered: bool
    attempts: tuple[Attempt, ...] = ()


def attempts_to_json(attempts: tuple[Attempt, ...]) -> str:
    """Return the attempts as a JSON list, their details cut to their last words."""
    return json.dumps(
        [
            {"rung": attempt.rung.value, "outcome": attempt.outcome.value, "detail": attempt.last_words}
            for attempt in attempts
        ]
    )


def attempts_from_json(text: str) -> tuple[Attempt, ...]:
    """Return what `attempts_to_json` wrote. Raises ValueError, KeyError or TypeError for anything else."""
    return tuple(
        Attempt(Rung(found["rung"]), Outcome(found["outcome"]), str(found["detail"])) for found in json.loads(text)
    )


@dataclass(eq=False)
class NoRungWorks(QuernError):
    """Every rung of the ladder failed; `attempts` say how."""

    path: Path
    attempts: tuple[Attempt, ...]

    sentence = "{path.name} does not run on this machine ({causes})."
    advice = "Nothing was lost. Choose another model; if every model fails, run `quern doctor`."

    @property
    def causes(self) -> str:
        """Every attempt in a few words."""
        return "; ".join(f"{attempt.rung}: {attempt.outcome} {attempt.last_words}".strip() for attempt in self.attempts)

    def values(self) -> dict[str, object]:
        """The fields and `causes`, for the templates."""
        return {"path": self.path, "attempts": self.attempts, "causes": self.causes}
