"""Open choices are filled, impossible ones clamped."""

from dataclasses import replace

import pytest

from quern.fit import Circumstances, request_limit, resolve
from quern.spec import FlashAttention, KvType, LoadSettings

LAPTOP = Circumstances(n_ctx_train=8192, n_head=9, default_threads=4, max_threads=8, uses_gpu=False)


@pytest.mark.parametrize(("asked", "used"), [(None, 4), (0, 4), (-1, 4), (3, 3), (8, 8), (10_000, 8)])
def test_ev_04_threads_are_clamped(asked: int | None, used: int) -> None:
    assert resolve(LoadSettings(n_threads=asked), LAPTOP).n_threads == used


@pytest.mark.parametrize(
    ("asked", "batch", "ubatch"), [(0, 1, 1), (-5, 1, 1), (1, 1, 1), (512, 512, 512), (10**6, 4096, 2048)]
)
def test_ev_04_batches_are_clamped(asked: int, batch: int, ubatch: int) -> None:
    settings = resolve(LoadSettings(n_batch_tokens=asked, n_ubatch_tokens=asked), LAPTOP)
    assert (settings.n_batch_tokens, settings.n_ubatch_tokens) == (batch, ubatch)


@pytest.mark.parametrize(
    ("asked", "trained", "cells"),
    [(None, 8192, 4096), (None, 512, 512), (None, 0, 4096), (0, 8192, 4096), (1, 8192, 256), (300, 512, 512)],
)
def test_the_context_is_a_multiple_of_256(asked: int | None, trained: int, cells: int) -> None:
    where = replace(LAPTOP, n_ctx_train=trained)
    assert resolve(LoadSettings(n_ctx_cells=asked), where).n_ctx_cells == cells


@pytest.mark.parametrize(
    ("asked", "cells", "trained", "limit"),
    [
        (64, 256, 8192, 64),
        (300, 512, 512, 300),
        (None, 4096, 8192, 4096),
        (0, 4096, 8192, 4096),
        (-1, 4096, 0, 4096),
        (None, 1024, 1000, 1000),
        (4096, 4096, 512, 512),
    ],
)
def test_a_request_gets_what_was_asked_for_and_not_what_llama_cpp_pads_it_to(
    asked: int | None, cells: int, trained: int, limit: int
) -> None:
    assert request_limit(asked, cells, trained) == limit


def test_an_absurd_context_stays_within_llama_cpps_numbers() -> None:
    cells = resolve(LoadSettings(n_ctx_cells=10**12), LAPTOP).n_ctx_cells
    assert cells is not None
    assert cells < 2**31


def test_flash_attention_is_off_on_a_cpu_unless_the_v_cache_needs_it() -> None:
    assert resolve(LoadSettings(), LAPTOP).flash_attention is FlashAttention.OFF
    assert resolve(LoadSettings(type_v=KvType.Q8_0), LAPTOP).flash_attention is FlashAttention.ON
    assert resolve(LoadSettings(type_k=KvType.Q8_0), LAPTOP).flash_attention is FlashAttention.OFF
    assert resolve(LoadSettings(), replace(LAPTOP, uses_gpu=True)).flash_attention is FlashAttention.AUTO


@pytest.mark.parametrize("asked", [FlashAttention.ON, FlashAttention.OFF])
def test_what_was_said_about_flash_attention_holds(asked: FlashAttention) -> None:
    assert resolve(LoadSettings(flash_attention=asked), LAPTOP).flash_attention is asked


def test_the_scores_of_a_long_context_are_kept_small() -> None:
    where = replace(LAPTOP, n_head=32, n_ctx_train=131_072)
    settings = resolve(LoadSettings(n_ctx_cells=32_768), where)
    assert settings.n_ubatch_tokens == 128
    assert 4 * 128 * 32_768 * 32 <= 512 * 1024**2
    with_flash = resolve(LoadSettings(n_ctx_cells=32_768, flash_attention=FlashAttention.ON), where)
    assert with_flash.n_ubatch_tokens == 512
    assert resolve(LoadSettings(n_ctx_cells=2**30), where).n_ubatch_tokens == 32


def test_negative_layers_mean_none() -> None:
    assert resolve(LoadSettings(n_gpu_layers=-3), LAPTOP).n_gpu_layers == 0
    assert resolve(LoadSettings(n_gpu_layers=99), LAPTOP).n_gpu_layers == 99
