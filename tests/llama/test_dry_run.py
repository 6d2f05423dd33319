"""A dry run says what a load does, to the byte, of real files and of headers alone."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.llama.tiny_hybrid import N_VOCAB, forge_hybrid

from quern.llama import Context, ContextParams, ContextRefused, DryRun, LoadRefused, Model, ModelParams, read_memory_use

from .conftest import SAFE, SMALL

MEASURED = replace(SAFE, measures_only=True)
READ = replace(SAFE, uses_mmap=False)


@pytest.mark.parametrize(
    "params",
    [
        SMALL,
        replace(SMALL, flash_attention=True),
        replace(SMALL, flash_attention=None, n_ctx_cells=4096, n_ubatch_tokens=17),
        replace(SMALL, n_seq_max=4),
        replace(SMALL, n_seq_max=4, is_unified=False),
        replace(SMALL, type_k=0, type_v=0),
        replace(SMALL, n_ctx_cells=1000, n_batch_tokens=512, n_ubatch_tokens=512),
    ],
)
def test_it_foretells_a_load_to_the_byte(tiny_path: Path, params: ContextParams) -> None:
    with DryRun(tiny_path, MEASURED) as run:
        found = run.measure(params)
    with Model.open(tiny_path, READ, lambda _share: True) as model, Context(model, params) as context:
        assert found.use == read_memory_use(model, context)
        assert (found.n_ctx_cells, found.n_ctx_seq_cells) == (context.n_ctx_cells, context.n_ctx_seq_cells)
    assert found.knows_weights
    assert found.use.is_exact


def test_one_model_is_measured_with_many_contexts(tiny_path: Path) -> None:
    with DryRun(tiny_path, MEASURED) as run:
        small, large = (run.measure(replace(SMALL, n_ctx_cells=cells)) for cells in (256, 2560))
    assert large.use.devices[0].kv == 10 * small.use.devices[0].kv
    assert large.use.devices[0].weights == small.use.devices[0].weights


def test_the_work_buffer_holds_the_scores_of_a_ubatch(tiny_path: Path) -> None:
    n_heads, cache_line = 4, 64
    with DryRun(tiny_path, MEASURED) as run:
        found = run.measure(replace(SMALL, n_ctx_cells=2048, n_threads=3))
    assert found.work_bytes == 2 * 32 * 2048 * n_heads + 3 * cache_line


def test_a_header_without_tensors_is_measured_but_for_its_weights(tmp_path: Path) -> None:
    with DryRun(forge_hybrid(tmp_path / "header.gguf"), MEASURED) as run:
        found = run.measure(SMALL)
    assert not found.knows_weights
    assert (found.n_vocab, found.use.output) == (N_VOCAB, 4 * N_VOCAB)
    assert found.use.devices[0].compute > 0


def test_a_header_without_tensors_is_only_to_be_measured(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="only be measured"):
        Model.from_metadata(forge_hybrid(tmp_path / "header.gguf"), SAFE)


def test_a_file_of_the_right_length_without_its_data_is_enough(tiny_path: Path, tmp_path: Path) -> None:
    hollow = tmp_path / "hollow.gguf"
    data = tiny_path.read_bytes()
    n_header_bytes = data.index(b"blk.1.ffn_down.weight") + 128
    hollow.write_bytes(data[:n_header_bytes])
    with hollow.open("r+b") as file:
        file.truncate(len(data))
    with DryRun(hollow, MEASURED) as run, DryRun(tiny_path, MEASURED) as whole:
        assert run.measure(SMALL) == whole.measure(SMALL)


@pytest.mark.parametrize("content", [b"", b"GGUF", b"not a model at all, but long enough to be read"])
def test_what_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(content)
    with pytest.raises(LoadRefused):
        DryRun(path, MEASURED)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadRefused) as refused:
        DryRun(tmp_path / "gone.gguf", MEASURED)
    assert "cannot be read" in refused.value.reason


def test_settings_that_contradict_each_other_are_refused(tiny_path: Path) -> None:
    with DryRun(tiny_path, MEASURED) as run, pytest.raises(ContextRefused):
        run.measure(replace(SMALL, type_v=8))


def test_the_model_params_of_a_dry_run_must_say_so(tiny_path: Path) -> None:
    with pytest.raises(ValueError, match="measure"):
        DryRun(tiny_path, ModelParams(n_gpu_layers=0, allows_extra_buffers=False, uses_mmap=False))
