"""Settings keep their meaning in llama.cpp's terms."""

from dataclasses import replace

import pytest

from quern.llama import KV_TYPE_NUMBERS, context_params_of, model_params_of
from quern.spec import ExtraBuffers, FlashAttention, KvType, LoadSettings

SETTINGS = LoadSettings(
    n_ctx_cells=512,
    n_threads=3,
    n_batch_tokens=256,
    n_ubatch_tokens=128,
    n_gpu_layers=5,
    type_k=KvType.Q8_0,
    type_v=KvType.BF16,
    extra_buffers=ExtraBuffers.AVOIDED,
    mmap=False,
    mlock=True,
    n_seq_max=4,
    kv_unified=False,
    swa_full=False,
    n_cpu_moe_layers=7,
    tensor_split=(1.0, 2.0),
)


def test_model() -> None:
    params = model_params_of(SETTINGS)
    assert (params.n_gpu_layers, params.n_cpu_moe_layers, params.tensor_split) == (5, 7, (1.0, 2.0))
    assert (params.allows_extra_buffers, params.uses_mmap, params.locks_memory) == (False, False, True)
    assert not params.measures_only
    assert model_params_of(SETTINGS, measures_only=True) == replace(params, measures_only=True)


@pytest.mark.parametrize(("asked", "given"), [(None, None), (0, 0), (-1, 0), (99, 99)])
def test_layers_below_none_are_none(asked: int | None, given: int | None) -> None:
    assert model_params_of(replace(SETTINGS, n_gpu_layers=asked)).n_gpu_layers == given


def test_context() -> None:
    params = context_params_of(SETTINGS, offloads=True)
    assert (params.n_ctx_cells, params.n_batch_tokens, params.n_ubatch_tokens, params.n_threads) == (512, 256, 128, 3)
    assert (params.type_k, params.type_v) == (KV_TYPE_NUMBERS[KvType.Q8_0], KV_TYPE_NUMBERS[KvType.BF16])
    assert (params.n_seq_max, params.is_unified, params.keeps_whole_window, params.offloads) == (4, False, False, True)


@pytest.mark.parametrize(
    ("asked", "given"), [(FlashAttention.AUTO, None), (FlashAttention.ON, True), (FlashAttention.OFF, False)]
)
def test_flash_attention(asked: FlashAttention, given: bool | None) -> None:
    assert context_params_of(replace(SETTINGS, flash_attention=asked), offloads=False).flash_attention is given
