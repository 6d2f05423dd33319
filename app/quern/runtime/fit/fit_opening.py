"""Opens a fit: reads the headers, asks the machine and the engine, and puts together who estimates."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from quern.base import CancelToken, QuernError
from quern.fit import (
    CompanionFiles,
    Corrections,
    Estimator,
    ExactEstimator,
    InstantEstimator,
    OwnMemory,
    leeway_of,
    rooms_of,
    shape_of,
)
from quern.gguf import FileUnreadable
from quern.models import ModelEntry
from quern.runtime.load.place import Place, place_of
from quern.runtime.load.rung import Rung
from quern.runtime.load.trial import Trials

from .companions import Companions, read_subject
from .fit_ground import circumstances_of, installed_engine, limits_of, machine_without_gpus, with_gpus
from .fit_learning import Learner, known_costs, measured_costs
from .fit_memory import FitMemory
from .fit_session import FitGround, FitSession


@dataclass(frozen=True, slots=True)
class Known:
    """What is known before a fit is opened: what was measured, what was proved, and what Quern holds, by device."""

    memory: FitMemory
    trials: Trials
    own: Mapping[str, OwnMemory]


def open_fit(entry: ModelEntry, companions: Companions, known: Known, cancel: CancelToken | None) -> FitSession:
    """Return the session (see `Fitting.open`)."""
    memory, place = known.memory, place_of(entry.path)
    subject = read_subject(entry.path, companions)
    shape, machine = shape_of(subject.model), machine_without_gpus()
    engine = installed_engine(memory, machine, cancel)

    def formulas(learned: Corrections) -> Estimator:
        return InstantEstimator(subject, engine, known_costs(memory), learned)

    learner = Learner(memory, shape.architecture, formulas)
    learner.caught_up(place)
    instant = learner.estimator()

    def exact(token: CancelToken) -> Estimator:
        _check_unchanged(entry.path, place)
        return ExactEstimator(
            path=entry.path,
            subject=subject,
            engine=engine,
            costs=measured_costs(memory, token),
            cancel=token,
            companions=CompanionFiles(projector=companions.projector, draft=companions.draft),
            instant=instant,
        )

    ground = FitGround(
        shape=shape,
        leeway=leeway_of(shape, subject.model),
        circumstances=circumstances_of(shape, machine.cpu, engine),
        rooms=rooms_of(with_gpus(machine, engine), engine, known.own),
        rung=_rung(known.trials, place.content_id),
        instant=instant,
        exact=exact,
        learn=learner.learn,
        recall=lambda: learner.caught_up(place),
    )
    return FitSession(entry, limits_of(shape, engine), ground)


def _check_unchanged(path: Path, place: Place) -> None:
    """What llama.cpp says of another file under this name must not be taken for this one's.

    Raises FileUnreadable and what else `place_of` raises.
    """
    if place_of(path) != place:
        raise FileUnreadable(path, "it was replaced after Quern had looked at it")


def _rung(trials: Trials, content_id: str) -> Rung:
    """What the model does without here, as far as it was tried."""
    with suppress(QuernError):
        return trials.newest_rung(content_id) or Rung.EVERYTHING
    return Rung.EVERYTHING
