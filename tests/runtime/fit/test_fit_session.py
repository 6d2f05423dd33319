"""A session answers for settings as a load would close them."""

from pathlib import Path

import pytest
from tests.runtime.scripted_fit import (
    GIB,
    MIB,
    N_CTX_TRAIN,
    ScriptedEstimator,
    card,
    host,
    model_entry,
    session,
)

from quern.base import CancelToken
from quern.fit import DeviceNeed, FitUnknown, Goal, SettingsRefused, Source, Verdict, Wish
from quern.models import ModelEntry
from quern.spec import FlashAttention, LoadSettings

KV_PER_CELL = 64 * 1024


@pytest.fixture
def entry(tmp_path: Path) -> ModelEntry:
    return model_entry(tmp_path / "tiny.gguf")


def test_an_open_context_is_the_usual_one_where_that_fits(entry: ModelEntry) -> None:
    settings = session(entry, (host(32 * GIB),), ScriptedEstimator()).resolved(LoadSettings())
    assert (settings.n_ctx_cells, settings.n_threads) == (4096, 2)


def test_an_open_context_is_the_largest_that_fits_where_the_usual_one_does_not(entry: ModelEntry) -> None:
    room = GIB + 1000 * KV_PER_CELL
    answer = session(entry, (host(room),), ScriptedEstimator()).instant(LoadSettings())
    assert (answer.n_ctx_cells, answer.verdict, answer.largest_ctx_cells) == (768, Verdict.FITS, 768)


def test_a_context_that_was_asked_for_is_kept_even_where_it_does_not_fit(entry: ModelEntry) -> None:
    room = GIB + 1000 * KV_PER_CELL
    answer = session(entry, (host(room),), ScriptedEstimator()).instant(LoadSettings(n_ctx_cells=8192))
    assert (answer.n_ctx_cells, answer.verdict, answer.largest_ctx_cells) == (8192, Verdict.TOO_LARGE, 768)


def test_where_nothing_fits_an_open_context_stays_the_usual_one(entry: ModelEntry) -> None:
    answer = session(entry, (host(MIB),), ScriptedEstimator()).instant(LoadSettings())
    assert (answer.n_ctx_cells, answer.verdict, answer.largest_ctx_cells) == (4096, Verdict.TOO_LARGE, None)


def test_the_largest_context_is_the_trained_one_at_most(entry: ModelEntry) -> None:
    answer = session(entry, (host(63 * GIB),), ScriptedEstimator(kv_per_cell=16)).instant(LoadSettings())
    assert answer.largest_ctx_cells == N_CTX_TRAIN == answer.n_ctx_train


def test_a_long_context_is_estimated_with_the_ubatch_that_a_load_would_use(entry: ModelEntry) -> None:
    estimator = ScriptedEstimator(kv_per_cell=16)
    session(entry, (host(63 * GIB),), estimator).instant(LoadSettings())
    ubatches = {settings.n_ctx_cells: settings.n_ubatch_tokens for settings in estimator.asked}
    assert ubatches[4096] == 512
    assert ubatches[N_CTX_TRAIN] == 256  # 4 bytes x 256 tokens x 131,072 cells x 4 heads: half a GiB


def test_flash_attention_is_left_to_the_engine_only_where_a_gpu_computes(entry: ModelEntry) -> None:
    with_card = session(entry, (host(32 * GIB), card(8 * GIB)), ScriptedEstimator(card="CUDA0"))
    assert with_card.resolved(LoadSettings()).flash_attention is FlashAttention.AUTO
    assert with_card.resolved(LoadSettings(n_gpu_layers=0)).flash_attention is FlashAttention.OFF


def test_an_exact_answer_is_the_engines_and_is_learned_from(entry: ModelEntry) -> None:
    exact = ScriptedEstimator(source=Source.EXACT, weights=2 * GIB)
    learned: list[tuple[LoadSettings, tuple[DeviceNeed, ...]]] = []
    tokens: list[CancelToken] = []

    def ask(cancel: CancelToken) -> ScriptedEstimator:
        tokens.append(cancel)
        return exact

    cancel = CancelToken()
    asked = session(entry, (host(32 * GIB),), ScriptedEstimator(), ask, learned)
    answer = asked.exact(LoadSettings(), cancel)
    assert (answer.source, answer.devices[0].needs.weights) == (Source.EXACT, 2 * GIB)
    assert learned == [(answer.settings, exact.needs(answer.settings))]
    assert tokens == [cancel]


def test_the_best_settings_for_a_goal_keep_what_the_goal_does_not_decide(entry: ModelEntry) -> None:
    asked = session(entry, (host(GIB + 20_000 * KV_PER_CELL),), ScriptedEstimator())
    best = asked.best(Wish(goal=Goal.LONGEST_CONTEXT), LoadSettings(mlock=True))
    assert best.mlock
    assert best.n_ctx_cells == 19968  # the last step of 256 below 20,000
    assert asked.instant(best).verdict is Verdict.FITS


def test_what_cannot_be_said_is_raised(entry: ModelEntry) -> None:
    broken = ScriptedEstimator(failure=FitUnknown("it has no layers"))
    with pytest.raises(FitUnknown):
        session(entry, (host(GIB),), broken).instant(LoadSettings())


def test_the_engine_is_asked_about_the_settings_and_the_largest_context_only(entry: ModelEntry) -> None:
    exact = ScriptedEstimator(source=Source.EXACT, kv_per_cell=KV_PER_CELL + 100)
    room = GIB + 20_000 * KV_PER_CELL
    asked = session(entry, (host(room),), ScriptedEstimator(), lambda _cancel: exact)
    answer = asked.exact(LoadSettings(n_ctx_cells=32768), CancelToken())
    assert (answer.verdict, answer.largest_ctx_cells) == (Verdict.TOO_LARGE, 19968)
    assert [settings.n_ctx_cells for settings in exact.asked] == [32768, 19712, 19968]
    assert answer.advice


def test_a_largest_context_that_the_engine_denies_is_corrected(entry: ModelEntry) -> None:
    exact = ScriptedEstimator(source=Source.EXACT, kv_per_cell=2 * KV_PER_CELL)
    asked = session(entry, (host(GIB + 20_000 * KV_PER_CELL),), ScriptedEstimator(), lambda _cancel: exact)
    answer = asked.exact(LoadSettings(n_ctx_cells=1024), CancelToken())
    assert answer.largest_ctx_cells is not None
    assert 9000 < answer.largest_ctx_cells <= 10_000  # 20,000 cells by the formula


def test_an_open_context_goes_by_what_the_engine_says(entry: ModelEntry) -> None:
    exact = ScriptedEstimator(source=Source.EXACT, weights=2 * GIB)
    asked = session(entry, (host(2 * GIB + 1100 * KV_PER_CELL),), ScriptedEstimator(), lambda _cancel: exact)
    answer = asked.exact(LoadSettings(), CancelToken())
    assert (answer.n_ctx_cells, answer.verdict) == (1024, Verdict.FITS)
    assert answer.settings in exact.asked


def test_settings_that_the_engine_refuses_are_refused_without_asking_it(entry: ModelEntry) -> None:
    refusing = ScriptedEstimator(failure=SettingsRefused("no such type"))
    exact = ScriptedEstimator(source=Source.EXACT)
    with pytest.raises(SettingsRefused):
        session(entry, (host(GIB),), refusing, lambda _cancel: exact).exact(LoadSettings(), CancelToken())
    assert exact.asked == []
