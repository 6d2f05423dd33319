"""The one loaded model: reckoned, proved, loaded, measured, and replaced by the next."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from tests.runtime.fake_engine import FakeEngine, facts
from tests.runtime.scripted_fit import GIB, ScriptedEstimator, host, model_entry, session

from quern import engine as engine_room
from quern.base import CancelToken, JobPool, QuernError
from quern.engine import ContextNotCreatable, EngineFacts
from quern.fit import HOST, DeviceNeed, Needs, OwnMemory, Room
from quern.gguf import NotGguf
from quern.models import ModelEntry
from quern.runtime import (
    DoesNotFit,
    Fitting,
    LoadPlan,
    LoadTerms,
    Proof,
    Residency,
    ResidencyPhase,
    Rung,
    Trials,
    plan_load,
)
from quern.spec import LoadSettings

MEASURED = (
    DeviceNeed(HOST, Needs(weights=100, kv=20, compute=3), mapped=90),
    DeviceNeed("CUDA0", Needs(weights=50, kv=5)),
)


class LoadedEngine(FakeEngine):
    """An engine that was loaded with `settings` and can be closed."""

    def __init__(self, settings: LoadSettings) -> None:
        super().__init__()
        self.facts = replace(facts(), settings=settings, measured=MEASURED)
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True


class Loader:
    """Stands in for `load_engine`; refuses contexts of more than `most_cells`."""

    def __init__(self, most_cells: int = 1 << 30) -> None:
        self.most_cells = most_cells
        self.engines: list[LoadedEngine] = []
        self.before: Callable[[], None] = lambda: None

    def __call__(
        self, _path: Path, settings: LoadSettings, progress: Callable[[float], None], _cancel: CancelToken
    ) -> LoadedEngine:
        self.before()
        if (settings.n_ctx_cells or 0) > self.most_cells:
            raise ContextNotCreatable("no memory")
        progress(1.0)
        self.engines.append(LoadedEngine(settings))
        return self.engines[-1]


class ProvenTrials:
    """Trials that everything passes; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[LoadSettings, int | None]] = []
        self.before: Callable[[], None] = lambda: None

    def prove(
        self, _path: Path, _id: str, settings: LoadSettings, _cancel: CancelToken, *, needed_bytes: int | None
    ) -> Proof:
        self.before()
        self.asked.append((settings, needed_bytes))
        return Proof(settings=settings, rung=Rung.EVERYTHING, remembered=False)


class ScriptedFitting:
    """A fitting that plans in `rooms`, and keeps what it is to remember."""

    def __init__(self, rooms: tuple[Room, ...]) -> None:
        self.rooms = rooms
        self.remembered: list[tuple[str, EngineFacts]] = []
        self.terms: list[LoadTerms] = []

    def plan(self, entry: ModelEntry, settings: LoadSettings, terms: LoadTerms, cancel: CancelToken) -> LoadPlan:
        self.terms.append(terms)
        return plan_load(session(entry, self.rooms, ScriptedEstimator()), settings, terms, cancel)

    def remember(self, entry: ModelEntry, facts: EngineFacts, resident_bytes: int) -> None:
        assert isinstance(resident_bytes, int)
        self.remembered.append((entry.name, facts))


class Place:
    """A residency on stand-ins."""

    def __init__(self, rooms: tuple[Room, ...] = (host(32 * GIB),)) -> None:
        self.jobs = JobPool("test", 2)
        self.trials = ProvenTrials()
        self.fitting = ScriptedFitting(rooms)
        self.residency = Residency(self.jobs, cast(Trials, self.trials), cast(Fitting, self.fitting))
        self.phases: list[ResidencyPhase] = []
        self.residency.changed.subscribe(lambda event: self.phases.append(event.phase))

    def load(self, entry: ModelEntry, settings: LoadSettings | None = None) -> LoadSettings:
        """Load `entry` and return the settings that the engine got. Raises what the load raised."""
        resident = self.residency.load(entry, settings or LoadSettings()).wait(30)
        return resident.engine.facts.settings

    def own(self) -> Mapping[str, OwnMemory]:
        return self.residency.own


@pytest.fixture
def entry(tmp_path: Path) -> ModelEntry:
    return model_entry(tmp_path / "tiny.gguf")


@pytest.fixture
def loader(monkeypatch: pytest.MonkeyPatch) -> Loader:
    loads = Loader()
    monkeypatch.setattr(engine_room, "load_engine", loads, raising=False)
    return loads


@pytest.fixture
def place() -> Iterator[Place]:
    made = Place()
    yield made
    made.jobs.close()


def test_a_model_is_reckoned_proved_and_loaded(place: Place, loader: Loader, entry: ModelEntry) -> None:
    assert place.load(entry).n_ctx_cells == 4096
    assert place.trials.asked == [(LoadSettings(n_ctx_cells=4096), GIB + 4096 * 64 * 1024)]
    assert place.phases == [ResidencyPhase.LOADING, ResidencyPhase.LOADED]
    assert len(loader.engines) == 1


def test_what_a_load_took_is_remembered(place: Place, loader: Loader, entry: ModelEntry) -> None:
    place.load(entry)
    place.jobs.close()
    assert place.fitting.remembered == [("tiny", loader.engines[0].facts)]


@pytest.mark.usefixtures("loader")
def test_the_loaded_model_is_known_by_what_it_holds_without_mapped_weights(place: Place, entry: ModelEntry) -> None:
    assert place.own() == {}
    place.load(entry)
    assert place.own() == {
        HOST: OwnMemory(held=33, reclaimable=33),
        "CUDA0": OwnMemory(held=55, reclaimable=55),
    }
    place.residency.unload()
    assert place.own() == {}


def test_the_next_model_takes_the_place_of_the_one_before_when_it_is_proved(
    place: Place, loader: Loader, entry: ModelEntry
) -> None:
    place.load(entry)
    closed_in_trial: list[bool] = []
    place.trials.before = lambda: closed_in_trial.append(loader.engines[0].is_closed)
    closed_in_load: list[bool] = []
    loader.before = lambda: closed_in_load.append(loader.engines[0].is_closed)
    place.load(entry)
    assert (closed_in_trial, closed_in_load) == ([False], [True])


def test_where_memory_is_short_the_one_before_goes_before_the_trial(loader: Loader, entry: ModelEntry) -> None:
    place = Place((host(GIB, reclaimable=2 * GIB),))
    place.load(entry)
    closed: list[bool] = []
    place.trials.before = lambda: closed.append(loader.engines[0].is_closed)
    place.load(entry)
    assert closed == [True]
    place.jobs.close()


def test_a_load_that_memory_refuses_is_tried_with_a_smaller_context(
    place: Place, loader: Loader, entry: ModelEntry
) -> None:
    loader.most_cells = 1024
    assert place.load(entry).n_ctx_cells == 1024
    assert [settings.n_ctx_cells for settings, _ in place.trials.asked] == [4096, 2048, 1024]


def test_a_model_that_cannot_fit_is_refused_and_the_one_before_stays(
    place: Place, loader: Loader, entry: ModelEntry
) -> None:
    place.load(entry)
    place.fitting.rooms = (host(GIB // 2),)
    with pytest.raises(DoesNotFit):
        place.load(entry)
    resident = place.residency.resident
    assert resident is not None
    assert not loader.engines[0].is_closed
    assert place.phases[-1] is ResidencyPhase.FAILED


def test_who_insists_is_heard(place: Place, loader: Loader, entry: ModelEntry) -> None:
    place.fitting.rooms = (host(GIB // 2),)
    terms = LoadTerms(tries_too_large=True)
    place.residency.load(entry, LoadSettings(), terms).wait(30)
    assert place.fitting.terms == [terms]
    assert len(loader.engines) == 1


def test_a_model_with_a_problem_is_not_reckoned(place: Place, loader: Loader, entry: ModelEntry) -> None:
    problem: QuernError = NotGguf(entry.path, "a web page")
    with pytest.raises(NotGguf):
        place.load(replace(entry, problem=problem, facts=None))
    assert place.fitting.terms == []
    assert loader.engines == []
