"""Learns from what llama.cpp measures: corrections of an architecture's formulas, and what the library itself takes."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from time import time

from quern.base import CancelToken, Json
from quern.engine import engine_build
from quern.fit import Corrections, DeviceNeed, Estimator, FitUnknown, Needs, RuntimeCosts, measure_costs
from quern.runtime.load.place import Place
from quern.spec import LoadSettings

from .fit_memory import FitMemory
from .measured_load import MeasuredLoad

COSTS_TOPIC = "runtime costs"
MOST_BASE_BYTES = 16 * 1024**3
MOST_ENTRY_BYTES = 1024**2


def known_costs(memory: FitMemory) -> RuntimeCosts:
    """Return what this build of the library takes, as it was measured; else as it usually is."""
    return memory.lesson(COSTS_TOPIC, engine_build(), _sound_costs) or RuntimeCosts()


def measured_costs(memory: FitMemory, cancel: CancelToken) -> RuntimeCosts:
    """Return the like, having measured it (a second, in children) where `memory` can keep that and does not have it.

    What cannot be measured is as it usually is. Raises Cancelled.
    """
    if memory.can_learn and memory.lesson(COSTS_TOPIC, engine_build(), _sound_costs) is None:
        with suppress(FitUnknown):
            memory.learn(COSTS_TOPIC, engine_build(), measure_costs(cancel).to_json(), time())
    return known_costs(memory)


@dataclass(frozen=True, slots=True)
class Learner:
    """Learns about one architecture. `make` makes the instant estimator that knows given corrections.

    Nothing here raises: what cannot be reckoned is not learned from.
    """

    memory: FitMemory
    architecture: str
    make: Callable[[Corrections], Estimator]

    @property
    def corrections(self) -> Corrections:
        """What is known by now."""
        return self.memory.lesson(self._topic, engine_build(), Corrections.from_json) or Corrections()

    def estimator(self) -> Estimator:
        """The estimator that knows what is known by now."""
        return self.make(self.corrections)

    def learn(self, settings: LoadSettings, measured: tuple[DeviceNeed, ...]) -> Estimator:
        """Return the estimator that has learned that `settings`, which leave nothing open, take `measured`."""
        known = self.corrections
        with suppress(FitUnknown):
            reckoned = self.make(known).needs(settings)
            learned = known.learned(settings, reckoned, measured)
            if learned != known:
                self.memory.learn(self._topic, engine_build(), learned.to_json(), time())
            return self.make(learned)
        return self.make(known)

    def caught_up(self, place: Place) -> tuple[MeasuredLoad, ...]:
        """Return the loads at `place`, newest first; what had not been reckoned for one is now, and learned from.

        A load itself only writes down what it took, so that nothing is reckoned while a person waits for it.
        """
        return tuple(load if load.estimated else self._reckoned(place, load) for load in self.memory.loads(place))

    def _reckoned(self, place: Place, load: MeasuredLoad) -> MeasuredLoad:
        try:
            needs = self.estimator().needs(load.settings)
        except FitUnknown:
            return load
        told = replace(load, estimated=tuple(replace(need, needs=_buffers(need.needs)) for need in needs))
        self.memory.remember_load(place, told)
        self.learn(load.settings, load.measured)
        return told

    @property
    def _topic(self) -> str:
        return f"{self.architecture} models"


def _sound_costs(document: Json) -> RuntimeCosts:
    """Return the costs in `document`. Raises ValueError for anything else, and for costs that no library has."""
    costs = RuntimeCosts.from_json(document)
    if costs.base_bytes > MOST_BASE_BYTES or max(costs.merged_entry_bytes, costs.plain_entry_bytes) > MOST_ENTRY_BYTES:
        raise ValueError("no library takes so much")
    return costs


def _buffers(needs: Needs) -> Needs:
    """The parts that a load measures."""
    return Needs(
        weights=needs.weights, kv=needs.kv, recurrent=needs.recurrent, compute=needs.compute, output=needs.output
    )
