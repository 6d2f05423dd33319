"""The work buffer is foretold as llama.cpp plans it."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.gguf.forge import forge_llama_model

from quern.fit import ModelShape, shape_of, work_bytes
from quern.fit.measure.dry_run import ask_dry_run
from quern.gguf import read_model_header
from quern.models import starter_path
from quern.spec import ExtraBuffers, FlashAttention, KvType, LoadSettings

SETTINGS = LoadSettings(
    n_ctx_cells=2048,
    n_threads=3,
    n_gpu_layers=0,
    flash_attention=FlashAttention.OFF,
    extra_buffers=ExtraBuffers.AVOIDED,
)
N_HEADS, CACHE_LINE = 4, 64


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return forge_llama_model(tmp_path_factory.mktemp("work") / "tiny.gguf")


@pytest.fixture(scope="module")
def shape(tiny: Path) -> ModelShape:
    return shape_of(read_model_header(tiny))


@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS,
        replace(SETTINGS, n_ctx_cells=512, n_ubatch_tokens=64),
        replace(SETTINGS, n_seq_max=4, kv_unified=False),
        replace(SETTINGS, n_threads=1, n_batch_tokens=32),
    ],
)
def test_scores_that_meet_the_v_cache_are_the_most(tiny: Path, shape: ModelShape, settings: LoadSettings) -> None:
    planned = ask_dry_run(tiny, settings, has_gpus=False).work
    n_tokens = min(settings.n_ubatch_tokens, settings.n_batch_tokens)
    n_cells = (settings.n_ctx_cells or 0) // (1 if settings.kv_unified else settings.n_seq_max)
    assert (
        work_bytes(shape, settings)
        == planned
        == 2 * n_tokens * n_cells * N_HEADS + CACHE_LINE * (settings.n_threads or 0)
    )


@pytest.mark.usefixtures("starter_model")
@pytest.mark.parametrize(
    "settings",
    [
        replace(SETTINGS, flash_attention=FlashAttention.ON),
        replace(SETTINGS, flash_attention=FlashAttention.ON, type_k=KvType.Q8_0, type_v=KvType.Q8_0),
        SETTINGS,
    ],
)
def test_of_a_real_model(settings: LoadSettings) -> None:
    path = starter_path()
    assert path is not None
    planned = ask_dry_run(path, settings, has_gpus=False).work
    assert work_bytes(shape_of(read_model_header(path)), settings) == planned


def test_without_flash_attention_wide_values_are_multiplied_as_they_are(shape: ModelShape) -> None:
    assert work_bytes(shape, replace(SETTINGS, type_v=KvType.F32)) < work_bytes(shape, SETTINGS)
