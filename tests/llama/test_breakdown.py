"""llama.cpp's own account is read, to the byte, and refused where the build does not give it."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.llama.tiny_hybrid import STATE_BYTES, forge_hybrid, forge_mamba

from quern.llama import Context, DryRun, Model, ModelParams
from quern.llama.binding import lib
from quern.llama.breakdown import BreakdownUnreadable, BufferUse, read_breakdown
from quern.llama.cxx_map import LIBCXX

from .conftest import SMALL

MEASURED = ModelParams(n_gpu_layers=0, allows_extra_buffers=False, uses_mmap=False, measures_only=True)
N_LAYERS, N_EMBD_KV, N_CELLS = 2, 32, 256
KV_BYTES = N_LAYERS * N_CELLS * 2 * N_EMBD_KV * 2


def total(uses: tuple[BufferUse, ...], part: str) -> int:
    return sum(getattr(use, part) for use in uses)


def test_a_loaded_model_is_accounted_for(model: Model, context: Context) -> None:
    uses = read_breakdown(context.handle)
    assert total(uses, "kv") == KV_BYTES
    assert total(uses, "recurrent") == 0
    assert total(uses, "compute") > 0
    mapped = [use for use in uses if use.buffer_type == "CPU_Mapped"]
    assert [use.weights for use in mapped] == [model.size_bytes]
    assert all(use.device == "CPU" and use.is_plain for use in uses)


def measured(path: Path, n_seq_max: int = 1) -> tuple[BufferUse, ...]:
    with DryRun(path, MEASURED) as run, Context(run.model, replace(SMALL, n_seq_max=n_seq_max)) as context:
        return read_breakdown(context.handle)


@pytest.mark.parametrize("n_seq_max", [1, 3])
def test_a_hybrids_memory_is_told_apart(tmp_path: Path, n_seq_max: int) -> None:
    uses = measured(forge_hybrid(tmp_path / "hybrid.gguf"), n_seq_max)
    assert total(uses, "recurrent") == 6 * n_seq_max * STATE_BYTES
    assert total(uses, "kv") == 2 * N_CELLS * 2 * (2 * 64) * 2


def test_a_recurrent_model_has_no_kv(tmp_path: Path) -> None:
    uses = measured(forge_mamba(tmp_path / "mamba.gguf"))
    assert (total(uses, "recurrent"), total(uses, "kv")) == (8 * STATE_BYTES, 0)


def test_a_build_without_the_function_is_refused(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quern.llama.breakdown._BREAKDOWN", "llama_gone")
    with pytest.raises(BreakdownUnreadable):
        read_breakdown(context.handle)


def test_a_build_without_the_classes_is_refused(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quern.llama.breakdown._PURE", "_ZTV4gone")
    with pytest.raises(BreakdownUnreadable):
        read_breakdown(context.handle)


def test_another_layout_is_refused_not_misread(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quern.llama.breakdown.map_layout", lambda: LIBCXX)
    with pytest.raises(BreakdownUnreadable):
        read_breakdown(context.handle)


def test_a_context_without_memory_has_no_kv(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_context: int) -> None:
        return None

    monkeypatch.setattr(lib, "llama_get_memory", none)
    assert total(read_breakdown(context.handle), "recurrent") == 0
