"""A fit is opened with one look at the machine, and learns from what loads really took."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gguf.forge import TinyModel, forge_llama_model
from tests.runtime.fake_engine import facts
from tests.runtime.scripted_fit import GIB, N_CTX_TRAIN, model_entry

from quern.base import Cancelled, CancelToken, Database, DiskFull, Json, QuernError, WorkerCrashed, WorkerFailed
from quern.engine import EngineFacts
from quern.fit import HOST, DeviceNeed, FitUnknown, Needs, OwnMemory, RuntimeCosts, Verdict
from quern.gguf import FileUnreadable, NotGguf
from quern.hardware import DeviceKind, EngineDevice, EngineInfo, Memory
from quern.models import ModelEntry
from quern.runtime.fit import fit_ground, fit_learning, fit_memory, fit_opening
from quern.runtime.fit.fit_memory import FitMemory
from quern.runtime.fit.fitting import Fitting
from quern.runtime.load import load_plan, place
from quern.runtime.load.gpu_demand import GpuRequired
from quern.runtime.load.load_plan import USUAL_TERMS, LoadPlan, LoadTerms
from quern.runtime.load.rung import Rung
from quern.runtime.load.trial import Trials
from quern.spec import ExtraBuffers, LoadSettings

CPU = EngineDevice(name=HOST, description="A CPU", kind=DeviceKind.CPU, backend="CPU", free=GIB, total=2 * GIB)
CARD = EngineDevice(
    name="CUDA0", description="A card", kind=DeviceKind.GPU, backend="CUDA", free=6 * GIB, total=8 * GIB
)
ENGINE = EngineInfo(version="1", build="b", system_info="CPU : AVX2 = 1", backends=("CPU",), devices=(CPU,))
SETTINGS = LoadSettings(n_ctx_cells=512)
CANCEL = CancelToken()
UNTRIED = Trials(None)


class Asked:
    """Stands in for `ask_engine`: counts, and answers or raises."""

    def __init__(self, answer: EngineInfo | QuernError = ENGINE) -> None:
        self.answer = answer
        self.n = 0

    def __call__(self, _cancel: CancelToken | None = None) -> EngineInfo:
        self.n += 1
        if isinstance(self.answer, QuernError):
            raise self.answer
        return self.answer


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """An engine for the CPU alone on a machine with 64 GiB."""
    memory = Memory(total_bytes=64 * GIB, available_bytes=32 * GIB)
    asked = Asked()
    for module in (fit_ground, load_plan):
        monkeypatch.setattr(module, "has_gpu_backend", lambda: False)
        monkeypatch.setattr(module, "detect_memory", lambda: memory)
    monkeypatch.setattr(fit_ground, "ask_engine", asked)
    monkeypatch.setattr(fit_ground, "detect_gpus", lambda: ())
    return asked


@pytest.fixture
def with_card(engine: Asked, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """An engine with a GPU backend that sees a card."""
    for module in (fit_ground, load_plan):
        monkeypatch.setattr(module, "has_gpu_backend", lambda: True)
    engine.answer = replace(ENGINE, backends=("CUDA", "CPU"), devices=(CARD, CPU))
    return engine


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[FitMemory]:
    database = Database.open(tmp_path / "quern.db", (fit_memory.TABLES,), tmp_path / "backups")
    yield FitMemory(database)
    database.close()


@pytest.fixture
def entry(tmp_path: Path) -> ModelEntry:
    return model_entry(tmp_path / "tiny.gguf")


def loaded(*measured: DeviceNeed, settings: LoadSettings = SETTINGS) -> EngineFacts:
    return replace(facts(), settings=settings, measured=measured)


def test_a_model_alone_is_answered_for_with_the_whole_machine(memory: FitMemory, entry: ModelEntry) -> None:
    session = Fitting(memory, UNTRIED).open(entry)
    assert session.limits.n_ctx_train == N_CTX_TRAIN
    assert (session.limits.n_layer_all, session.limits.n_expert_layers, session.limits.gpus) == (2, 0, ())
    assert not session.limits.has_sliding_window
    answer = session.instant(SETTINGS)
    assert answer.verdict is Verdict.FITS
    assert (answer.devices[0].room.device, answer.devices[0].room.free) == (HOST, 32 * GIB)
    assert answer.devices[0].needs.kv == 512 * 2 * (32 + 32) * 2  # cells x layers x (K + V) x f16


def test_an_engine_for_the_cpu_is_asked_once_what_it_was_built_with(
    memory: FitMemory, entry: ModelEntry, engine: Asked
) -> None:
    Fitting(memory, UNTRIED).open(entry)
    Fitting(memory, UNTRIED).open(entry)
    assert engine.n == 1


def test_an_engine_with_a_gpu_backend_is_asked_each_time(
    memory: FitMemory, entry: ModelEntry, with_card: Asked
) -> None:
    session = Fitting(memory, UNTRIED).open(entry)
    assert session.limits.gpus == ("A card",)
    answer = session.instant(SETTINGS)
    assert [device.room.device for device in answer.devices] == [HOST, "CUDA0"]
    assert answer.devices[1].needs.kv > 0
    Fitting(memory, UNTRIED).open(entry)
    assert with_card.n == 2


def test_without_an_engine_the_formulas_still_answer(memory: FitMemory, entry: ModelEntry, engine: Asked) -> None:
    engine.answer = WorkerFailed("devices", "there is no llama.cpp")
    assert Fitting(memory, UNTRIED).open(entry).instant(SETTINGS).verdict is Verdict.FITS
    Fitting(memory, UNTRIED).open(entry)
    assert engine.n == 2  # nothing was learned from no answer


def test_a_driver_that_crashes_the_engine_is_told(memory: FitMemory, entry: ModelEntry, with_card: Asked) -> None:
    with_card.answer = WorkerCrashed("devices", "SIGSEGV")
    with pytest.raises(WorkerCrashed):
        Fitting(memory, UNTRIED).open(entry)


def test_who_gives_up_is_heard(memory: FitMemory, entry: ModelEntry, engine: Asked) -> None:
    engine.answer = Cancelled()
    with pytest.raises(Cancelled):
        Fitting(memory, UNTRIED).open(entry)


def test_a_file_that_is_no_model_is_told(memory: FitMemory, entry: ModelEntry) -> None:
    with pytest.raises(NotGguf):
        Fitting(memory, UNTRIED).open(replace(entry, problem=NotGguf(entry.path, "a web page"), facts=None))


def test_what_quern_has_loaded_is_given_back_and_not_counted_as_others(memory: FitMemory, entry: ModelEntry) -> None:
    own = {HOST: OwnMemory(held=GIB, reclaimable=GIB)}
    (host,) = Fitting(memory, UNTRIED, lambda: own).open(entry).instant(SETTINGS).devices
    assert (host.room.own, host.room.reclaimable, host.room.other) == (GIB, GIB, 31 * GIB)


def test_a_load_is_remembered_beside_what_was_reckoned_for_it(memory: FitMemory, entry: ModelEntry) -> None:
    measured = DeviceNeed(HOST, Needs(weights=5, kv=4, compute=3))
    Fitting(memory, UNTRIED).remember(entry, loaded(measured), 77)
    session = Fitting(memory, UNTRIED).open(entry)
    (load,) = session.measured()
    assert (load.settings, load.measured, load.resident_bytes) == (SETTINGS, (measured,), 77)
    (estimated,) = load.estimated
    assert estimated.needs.kv == session.needs(SETTINGS)[0].needs.kv
    assert estimated.needs.runtime == 0  # no buffer counts it, so it is not compared


def test_a_load_of_a_model_that_nobody_can_reckon_is_remembered_too(
    memory: FitMemory, entry: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unknowing:
        def __init__(self, *_parts: object) -> None:
            pass

        def needs(self, _settings: LoadSettings) -> tuple[DeviceNeed, ...]:
            raise FitUnknown("nobody knows it")

    monkeypatch.setattr(fit_opening, "InstantEstimator", Unknowing)
    Fitting(memory, UNTRIED).remember(entry, loaded(DeviceNeed(HOST, Needs(weights=5))), 1)
    (load,) = Fitting(memory, UNTRIED).open(entry).measured()
    assert (load.estimated, load.measured[0].needs.weights) == ((), 5)


def test_a_file_that_is_gone_after_its_load_is_no_error(memory: FitMemory, entry: ModelEntry) -> None:
    entry.path.unlink()
    Fitting(memory, UNTRIED).remember(entry, loaded(DeviceNeed(HOST, Needs(weights=5))), 1)


def test_the_formulas_learn_how_far_off_they_were(memory: FitMemory, entry: ModelEntry) -> None:
    before = Fitting(memory, UNTRIED).open(entry).needs(SETTINGS)[0].needs
    measured = DeviceNeed(HOST, replace(before, compute=before.compute * 5 // 4, runtime=0))
    Fitting(memory, UNTRIED).remember(entry, loaded(measured), 1)
    after = Fitting(memory, UNTRIED).open(entry).needs(SETTINGS)[0].needs
    assert abs(after.compute - measured.needs.compute) <= 1
    assert replace(after, compute=0) == replace(before, compute=0)


def test_what_was_learned_holds_for_this_build_only(
    memory: FitMemory, entry: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Fitting(memory, UNTRIED).open(entry).needs(SETTINGS)
    measured = DeviceNeed(HOST, replace(before[0].needs, compute=before[0].needs.compute * 2))
    Fitting(memory, UNTRIED).remember(entry, loaded(measured), 1)
    for module in (fit_learning, fit_ground, place):
        monkeypatch.setattr(module, "engine_build", lambda: "another build")
    assert Fitting(memory, UNTRIED).open(entry).needs(SETTINGS) == before


def test_a_session_that_learns_answers_better_at_once(memory: FitMemory, entry: ModelEntry) -> None:
    session = Fitting(memory, UNTRIED).open(entry)
    settings = session.resolved(SETTINGS)
    before = session.needs(settings)[0].needs
    session.learn(settings, (DeviceNeed(HOST, replace(before, compute=before.compute * 3 // 2)),))
    assert abs(session.instant(settings).devices[0].needs.compute - before.compute * 3 // 2) <= 1


def test_what_the_library_takes_is_measured_once_a_build(memory: FitMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def measure(cancel: object) -> RuntimeCosts:
        asked.append(cancel)
        return RuntimeCosts(base_bytes=GIB)

    monkeypatch.setattr(fit_learning, "measure_costs", measure)
    first, again = (fit_learning.measured_costs(memory, CANCEL) for _ in range(2))
    assert (first.base_bytes, again.base_bytes, fit_learning.known_costs(memory).base_bytes) == (GIB, GIB, GIB)
    assert asked == [CANCEL]


def test_what_the_library_takes_is_not_measured_where_that_would_be_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(_cancel: object) -> RuntimeCosts:
        return RuntimeCosts(base_bytes=GIB)

    monkeypatch.setattr(fit_learning, "measure_costs", measure)
    assert fit_learning.measured_costs(FitMemory(None), CANCEL) == RuntimeCosts()


def test_what_cannot_be_measured_is_as_it_usually_is(memory: FitMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_cancel: object) -> RuntimeCosts:
        raise FitUnknown("it cannot be measured here")

    monkeypatch.setattr(fit_learning, "measure_costs", fail)
    assert fit_learning.measured_costs(memory, CANCEL) == RuntimeCosts()


@pytest.mark.parametrize("part", ["base_bytes", "merged_entry_bytes", "plain_entry_bytes"])
def test_costs_that_no_library_has_are_not_believed(memory: FitMemory, entry: ModelEntry, part: str) -> None:
    usual = Fitting(memory, UNTRIED).open(entry).needs(SETTINGS)
    lesson: Json = {**RuntimeCosts().to_json(), part: 10**23}
    memory.learn(fit_learning.COSTS_TOPIC, fit_learning.engine_build(), lesson, 1.0)
    assert Fitting(memory, UNTRIED).open(entry).needs(SETTINGS) == usual


def test_a_file_that_was_replaced_is_not_measured_in_place_of_the_one_looked_at(
    memory: FitMemory, entry: ModelEntry
) -> None:
    session = Fitting(memory, UNTRIED).open(entry)
    forge_llama_model(entry.path, TinyModel(seed=2))
    with pytest.raises(FileUnreadable) as caught:
        session.exact(SETTINGS, CANCEL)
    assert "replaced" in caught.value.what
    entry.path.unlink()
    with pytest.raises(FileUnreadable):
        session.exact(SETTINGS, CANCEL)


class Tried(Trials):
    """Trials that came to `rung`, or a database that cannot be read."""

    def __init__(self, rung: Rung | None) -> None:
        super().__init__(None)
        self._rung = rung

    def newest_rung(self, content_id: str) -> Rung | None:
        assert content_id
        if self._rung is None:
            raise DiskFull(Path("quern.db"))
        return self._rung


@pytest.mark.parametrize(
    ("rung", "extra_buffers"),
    [
        (Rung.EVERYTHING, ExtraBuffers.ALLOWED),
        (Rung.NO_EXTRA_BUFFERS, ExtraBuffers.AVOIDED),
        (None, ExtraBuffers.ALLOWED),
    ],
)
def test_a_model_is_estimated_with_the_kernels_that_it_runs_with_here(
    memory: FitMemory, entry: ModelEntry, rung: Rung | None, extra_buffers: ExtraBuffers
) -> None:
    assert Fitting(memory, Tried(rung)).open(entry).resolved(SETTINGS).extra_buffers is extra_buffers


def test_without_a_database_nothing_is_learned_and_everything_answered(entry: ModelEntry) -> None:
    forgetful = Fitting(FitMemory(None), UNTRIED)
    before = forgetful.open(entry).needs(SETTINGS)
    forgetful.remember(entry, loaded(DeviceNeed(HOST, replace(before[0].needs, compute=1))), 1)
    session = forgetful.open(entry)
    assert (session.needs(SETTINGS), session.measured()) == (before, ())
    assert RuntimeCosts().base_bytes < before[0].needs.runtime


def test_a_small_model_is_planned_without_opening_its_file(memory: FitMemory, entry: ModelEntry) -> None:
    entry.path.unlink()
    assert Fitting(memory, UNTRIED).plan(entry, LoadSettings(), USUAL_TERMS, CANCEL) == LoadPlan((LoadSettings(),))


def test_another_load_is_planned_with_what_it_takes(memory: FitMemory, entry: ModelEntry) -> None:
    plan = Fitting(memory, UNTRIED).plan(entry, LoadSettings(n_ctx_cells=8192), USUAL_TERMS, CANCEL)
    assert plan.candidates == (LoadSettings(n_ctx_cells=8192),)
    assert plan.host_bytes is not None
    assert plan.host_bytes > 8192 * 2 * (32 + 32) * 2


def test_what_stops_the_reckoning_does_not_stop_a_load(memory: FitMemory, entry: ModelEntry, with_card: Asked) -> None:
    with_card.answer = WorkerCrashed("devices", "SIGSEGV")
    assert Fitting(memory, UNTRIED).plan(entry, LoadSettings(), USUAL_TERMS, CANCEL) == LoadPlan((LoadSettings(),))


def test_giving_up_stops_a_load(memory: FitMemory, entry: ModelEntry, with_card: Asked) -> None:
    with_card.answer = Cancelled()
    with pytest.raises(Cancelled):
        Fitting(memory, UNTRIED).plan(entry, LoadSettings(), USUAL_TERMS, CANCEL)
    with pytest.raises(Cancelled):
        Fitting(memory, UNTRIED).plan(entry, LoadSettings(), LoadTerms(requires_gpu=True), CANCEL)


def test_a_demanded_gpu_that_is_not_there_stops_a_load(memory: FitMemory, entry: ModelEntry, with_card: Asked) -> None:
    demanding = LoadTerms(requires_gpu=True)
    assert Fitting(memory, UNTRIED).plan(entry, LoadSettings(), demanding, CANCEL).candidates
    with pytest.raises(GpuRequired):
        Fitting(memory, UNTRIED).plan(entry, LoadSettings(n_gpu_layers=0), demanding, CANCEL)
    with_card.answer = ENGINE
    with pytest.raises(GpuRequired):
        Fitting(memory, UNTRIED).plan(entry, LoadSettings(), demanding, CANCEL)
    with_card.answer = WorkerCrashed("devices", "SIGSEGV")
    with pytest.raises(GpuRequired):
        Fitting(memory, UNTRIED).plan(entry, LoadSettings(), demanding, CANCEL)
