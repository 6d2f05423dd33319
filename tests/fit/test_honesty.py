"""What other programs get wrong about memory, on the published shapes of the models that they get it wrong for."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fit.fake_estimator import closed, gpu_room, host_room
from tests.fit.forged import GIB, MIB, engine, gpu
from tests.fit.zoo import PUBLISHED

from quern.fit.answer.leeway import leeway_of
from quern.fit.answer.verdict import judge
from quern.fit.formula.corrections import Corrections
from quern.fit.formula.instant import InstantEstimator
from quern.fit.measure.runtime_costs import RuntimeCosts
from quern.fit.need import Needs
from quern.fit.report import AdviceKind, FitReport, Verdict
from quern.fit.room import Room
from quern.fit.subject import FitSubject
from quern.gguf import ModelHeader, read_model_header
from quern.spec import FlashAttention, LoadSettings


@cache
def header(name: str) -> ModelHeader:
    (published,) = [one for one in PUBLISHED if one.name == name]
    with TemporaryDirectory() as folder:
        return read_model_header(published.write_with_tensors(Path(folder) / "model.gguf"))


@cache
def estimator(name: str, *, has_gpu: bool = False) -> InstantEstimator:
    devices = (gpu("CUDA0", 24 * GIB),) if has_gpu else ()
    return InstantEstimator(FitSubject(model=header(name)), engine(*devices), RuntimeCosts(), Corrections())


def host(name: str, settings: LoadSettings) -> Needs:
    (need,) = estimator(name).needs(settings)
    return need.needs


def report(name: str, settings: LoadSettings, *rooms: Room) -> FitReport:
    known = estimator(name, has_gpu=len(rooms) > 1)
    return judge(known, settings, rooms, known.shape.n_ctx_train, leeway_of(known.shape, header(name)))


def test_a_model_of_twelve_gigabytes_is_not_said_to_need_twenty_three() -> None:
    needs = host("gpt-oss 20B", closed(n_ctx_cells=8192, swa_full=False))
    assert needs.total < 1.08 * header("gpt-oss 20B").size_bytes


def test_layers_with_a_sliding_window_do_not_remember_the_whole_context() -> None:
    whole, window = (host("Gemma 3 27B", closed(n_ctx_cells=131_072, swa_full=full)) for full in (True, False))
    assert window.kv < whole.kv / 5
    assert window.kv > whole.kv / 7  # ten of sixty-two layers do


def test_latent_attention_keeps_one_narrow_row() -> None:
    needs = host("DeepSeek V3", closed(n_ctx_cells=4096))
    assert needs.kv == 61 * 4096 * 576 * 2


def test_hybrid_models_cache_only_where_they_attend_and_keep_a_state() -> None:
    needs = host("Qwen3 Next 80B A3B", closed(n_ctx_cells=4096))
    assert needs.kv == 12 * 4096 * 2 * 2 * 256 * 2
    assert 70 * MIB < needs.recurrent < 80 * MIB


def test_recurrent_models_take_no_more_for_a_longer_context() -> None:
    short, long = (host("Mamba 2 2.7B", closed(n_ctx_cells=cells)) for cells in (4096, 1_048_576))
    assert short.kv == long.kv == 0
    assert short.recurrent == long.recurrent > 0


def test_the_scratch_buffer_is_counted_and_huge_without_flash_attention() -> None:
    on, off = (
        host("Llama 3.1 8B", closed(n_ctx_cells=32_768, flash_attention=choice))
        for choice in (FlashAttention.ON, FlashAttention.OFF)
    )
    assert on.compute > 100 * MIB
    assert off.compute > 2 * GIB


def test_only_the_experts_that_work_cost_scratch_but_all_cost_weights() -> None:
    needs = host("Qwen3 30B A3B", closed())
    assert needs.weights > 17 * GIB
    assert needs.compute < 150 * MIB


def test_a_mixture_of_experts_runs_beside_a_small_card() -> None:
    found = report("Qwen3 30B A3B", closed(), host_room(24 * GIB), gpu_room(8 * GIB))
    assert found.verdict is Verdict.PARTIAL
    experts = next(one for one in found.advice if one.kind is AdviceKind.EXPERTS_TO_CPU)
    assert experts.fits


def test_models_that_are_loaded_already_are_not_forgotten() -> None:
    needed = host("Llama 3.1 8B", closed()).total
    beside = host_room(needed - 2 * GIB, own=4 * GIB)
    found = report("Llama 3.1 8B", closed(), beside)
    assert found.verdict is Verdict.TOO_LARGE
    unload = next(one for one in found.advice if one.kind is AdviceKind.UNLOAD_OTHERS)
    assert (unload.gain, unload.fits) == (4 * GIB, True)
    replacing = host_room(needed - 2 * GIB, own=4 * GIB, reclaimable=4 * GIB)
    assert report("Llama 3.1 8B", closed(), replacing).verdict is Verdict.FITS


def test_a_quarter_of_the_context_may_be_all_that_fits_and_is_named() -> None:
    found = report("Llama 3.1 8B", closed(n_ctx_cells=131_072), host_room(9 * GIB))
    assert found.verdict is Verdict.TOO_LARGE
    assert found.largest_ctx_cells is not None
    needs = host("Llama 3.1 8B", closed(n_ctx_cells=found.largest_ctx_cells))
    assert needs.total <= 9 * GIB - 256 * MIB < needs.total + 256 * 131_072 * 2
