"""What is left open is chosen so that it fits; what cannot fit is refused with the step that helps."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.runtime.scripted_fit import GIB, ScriptedEstimator, card, host, model_entry, session

from quern.base import Cancelled, CancelToken, WorkerFailed
from quern.engine import ContextNotCreatable, ModelNotLoadable
from quern.fit import FitUnknown, Goal, Source, Wish
from quern.hardware import Memory
from quern.models import ModelEntry
from quern.runtime.load import load_plan
from quern.runtime.load.load_plan import USUAL_TERMS, DoesNotFit, LoadPlan, LoadTerms, is_obvious, terms_of
from quern.runtime.load.planning import plan_load
from quern.settings import Settings
from quern.spec import LoadSettings

KV_PER_CELL = 64 * 1024
OPEN = LoadSettings()
CANCEL = CancelToken()
FULL = ContextNotCreatable("no memory")


@pytest.fixture
def entry(tmp_path: Path) -> ModelEntry:
    return model_entry(tmp_path / "tiny.gguf")


def contexts(plan: LoadPlan) -> list[int | None]:
    return [candidate.n_ctx_cells for candidate in plan.candidates]


def test_what_is_left_open_gets_the_usual_context_with_smaller_ones_in_reserve(entry: ModelEntry) -> None:
    plan = plan_load(session(entry, (host(32 * GIB),), ScriptedEstimator()), OPEN, USUAL_TERMS, CANCEL)
    assert contexts(plan) == [4096, 2048, 1024]
    assert replace(plan.candidates[0], n_ctx_cells=None) == OPEN  # nothing else was chosen for the person
    assert plan.host_bytes == GIB + 4096 * KV_PER_CELL


def test_a_context_that_was_asked_for_has_no_smaller_one_in_reserve(entry: ModelEntry) -> None:
    asked = LoadSettings(n_ctx_cells=8192)
    plan = plan_load(session(entry, (host(32 * GIB),), ScriptedEstimator()), asked, USUAL_TERMS, CANCEL)
    assert plan.candidates == (asked,)


def test_an_open_context_shrinks_until_it_fits(entry: ModelEntry) -> None:
    room = GIB + 1100 * KV_PER_CELL
    plan = plan_load(session(entry, (host(room),), ScriptedEstimator()), OPEN, USUAL_TERMS, CANCEL)
    assert contexts(plan) == [1024, 512]


def test_a_goal_chooses_more_than_what_is_open(entry: ModelEntry) -> None:
    terms = LoadTerms(wish=Wish(goal=Goal.LONGEST_CONTEXT))
    room = GIB + 20_000 * KV_PER_CELL
    plan = plan_load(session(entry, (host(room),), ScriptedEstimator()), OPEN, terms, CANCEL)
    assert contexts(plan) == [19968, 9984, 4992]


def test_layers_left_open_are_as_many_as_a_card_holds_with_fewer_in_reserve(entry: ModelEntry) -> None:
    rooms = (host(32 * GIB), card(2 * GIB + 4096 * KV_PER_CELL))
    estimator = ScriptedEstimator(card="CUDA0", weights=3 * GIB)
    plan = plan_load(session(entry, rooms, estimator), OPEN, USUAL_TERMS, CANCEL)
    assert [candidate.n_gpu_layers for candidate in plan.candidates] == [2, 1, 1, 0]


def test_layers_that_were_asked_for_and_do_not_fit_are_refused_with_how_many_do(entry: ModelEntry) -> None:
    rooms = (host(32 * GIB), card(2 * GIB + 4096 * KV_PER_CELL))
    estimator = ScriptedEstimator(card="CUDA0", weights=3 * GIB)
    with pytest.raises(DoesNotFit) as caught:
        plan_load(session(entry, rooms, estimator), LoadSettings(n_gpu_layers=99), USUAL_TERMS, CANCEL)
    assert caught.value.what == ("tiny does not fit: it needs 3.2 GiB of the memory of A card, and 2.2 GiB are free.")
    assert "2 of 3 layers on the GPU: -1.0 GiB on CUDA0, then it fits" in caught.value.next_step


def test_what_cannot_fit_is_refused_and_says_what_to_do(entry: ModelEntry) -> None:
    with pytest.raises(DoesNotFit) as caught:
        plan_load(session(entry, (host(GIB // 2),), ScriptedEstimator()), OPEN, USUAL_TERMS, CANCEL)
    assert caught.value.what == "tiny does not fit: it needs 1.2 GiB of memory, and 512 MiB are free."
    assert "Load it anyway" in caught.value.next_step


def test_who_insists_gets_it_tried(entry: ModelEntry) -> None:
    terms = LoadTerms(tries_too_large=True)
    plan = plan_load(session(entry, (host(GIB // 2),), ScriptedEstimator()), OPEN, terms, CANCEL)
    assert contexts(plan)[0] == 4096


def test_nothing_is_refused_on_the_word_of_a_formula_alone(entry: ModelEntry) -> None:
    exact = ScriptedEstimator(source=Source.EXACT, weights=GIB // 4)
    asked = session(entry, (host(GIB),), ScriptedEstimator(weights=2 * GIB), lambda _cancel: exact)
    plan = plan_load(asked, OPEN, USUAL_TERMS, CANCEL)
    assert plan.report is not None
    assert plan.report.source is Source.EXACT
    assert contexts(plan)[0] == 4096


def test_a_model_that_only_the_engine_knows_is_measured(entry: ModelEntry) -> None:
    unknown = ScriptedEstimator(failure=FitUnknown("nobody knows it"))
    exact = ScriptedEstimator(source=Source.EXACT)
    plan = plan_load(session(entry, (host(32 * GIB),), unknown, lambda _cancel: exact), OPEN, USUAL_TERMS, CANCEL)
    assert plan.host_bytes == GIB + 4096 * KV_PER_CELL


def test_a_model_that_nobody_knows_is_tried_as_it_is(entry: ModelEntry) -> None:
    unknown = ScriptedEstimator(failure=FitUnknown("nobody knows it"))
    lost = ScriptedEstimator(failure=WorkerFailed("dry_run", "gone"))
    asked = session(entry, (host(GIB),), unknown, lambda _cancel: lost)
    assert plan_load(asked, OPEN, USUAL_TERMS, CANCEL) == LoadPlan((OPEN,))
    assert plan_load(asked, OPEN, LoadTerms(wish=Wish()), CANCEL) == LoadPlan((OPEN,))


def test_who_gives_up_gets_no_plan(entry: ModelEntry) -> None:
    unknown = ScriptedEstimator(failure=FitUnknown("nobody knows it"))
    given_up = ScriptedEstimator(failure=Cancelled())
    with pytest.raises(Cancelled):
        plan_load(session(entry, (host(GIB),), unknown, lambda _cancel: given_up), OPEN, USUAL_TERMS, CANCEL)


def test_the_model_before_goes_first_only_where_its_memory_is_needed(entry: ModelEntry) -> None:
    def plan(free: int, reclaimable: int) -> LoadPlan:
        rooms = (host(free, reclaimable=reclaimable),)
        return plan_load(session(entry, rooms, ScriptedEstimator()), OPEN, USUAL_TERMS, CANCEL)

    assert plan(GIB, 2 * GIB).needs_room
    assert not plan(32 * GIB, 2 * GIB).needs_room
    assert not plan(32 * GIB, 0).needs_room


def test_memory_that_is_refused_has_the_next_smaller_settings_tried() -> None:
    tried: list[int | None] = []

    def attempt(settings: LoadSettings) -> str:
        tried.append(settings.n_ctx_cells)
        if settings.n_ctx_cells != 1024:
            raise FULL
        return "loaded"

    plan = LoadPlan(tuple(LoadSettings(n_ctx_cells=n) for n in (4096, 2048, 1024)))
    assert plan.first(attempt) == "loaded"
    assert tried == [4096, 2048, 1024]


def test_the_last_refusal_is_told() -> None:
    def attempt(_settings: LoadSettings) -> str:
        raise FULL

    with pytest.raises(ContextNotCreatable):
        LoadPlan((OPEN, OPEN)).first(attempt)


def test_a_broken_file_is_not_tried_with_less() -> None:
    tried: list[LoadSettings] = []

    def attempt(settings: LoadSettings) -> str:
        tried.append(settings)
        raise ModelNotLoadable(Path("x.gguf"), "broken")

    with pytest.raises(ModelNotLoadable):
        LoadPlan((OPEN, OPEN)).first(attempt)
    assert tried == [OPEN]


def test_a_card_that_is_full_has_fewer_layers_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_plan, "has_gpu_backend", lambda: True)
    tried: list[int | None] = []

    def attempt(settings: LoadSettings) -> str:
        tried.append(settings.n_gpu_layers)
        if settings.n_gpu_layers != 0:
            raise ModelNotLoadable(Path("x.gguf"), "unable to allocate buffer")
        return "loaded"

    assert LoadPlan((OPEN, LoadSettings(n_gpu_layers=0))).first(attempt) == "loaded"
    assert tried == [None, 0]


@pytest.mark.parametrize(
    ("settings", "terms", "free", "is_plain"),
    [
        (OPEN, USUAL_TERMS, 64 * GIB, True),
        (LoadSettings(n_ctx_cells=4096), USUAL_TERMS, 64 * GIB, True),
        (OPEN, USUAL_TERMS, GIB, False),
        (LoadSettings(n_ctx_cells=4097), USUAL_TERMS, 64 * GIB, False),
        (LoadSettings(n_seq_max=2), USUAL_TERMS, 64 * GIB, False),
        (OPEN, LoadTerms(wish=Wish()), 64 * GIB, False),
    ],
)
def test_only_a_small_model_with_plain_settings_is_loaded_without_reckoning(
    entry: ModelEntry,
    monkeypatch: pytest.MonkeyPatch,
    settings: LoadSettings,
    terms: LoadTerms,
    free: int,
    is_plain: bool,
) -> None:
    monkeypatch.setattr(load_plan, "has_gpu_backend", lambda: False)
    monkeypatch.setattr(load_plan, "detect_memory", lambda: Memory(total_bytes=64 * GIB, available_bytes=free))
    assert is_obvious(entry, settings, terms) is is_plain
    monkeypatch.setattr(load_plan, "has_gpu_backend", lambda: True)
    assert not is_obvious(entry, settings, terms)


def test_the_settings_say_what_a_load_may_do() -> None:
    assert terms_of(Settings()) == USUAL_TERMS
    chosen = Settings().with_choices(
        {"load.fit_goal": "users", "load.n_seq_max": 4, "load.when_too_large": "try", "load.require_gpu": True}
    )
    assert terms_of(chosen) == LoadTerms(wish=Wish(goal=Goal.USERS, n_users=4), tries_too_large=True, requires_gpu=True)
