"""The KV cache's bytes are llama.cpp's own, layer by layer, for every architecture."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.fit.zoo import PUBLISHED, SETTINGS, ZOO, Oracle, PublishedModel, ZooEntry

from quern.fit import FitUnknown, SettingsRefused, context_cells, kv_bytes_by_layer, recurrent_bytes_by_layer, shape_of
from quern.gguf import read_model_header
from quern.spec import FlashAttention, KvType, LoadSettings

ON = LoadSettings(n_ctx_cells=4096, n_threads=1, n_gpu_layers=0, flash_attention=FlashAttention.ON)
OFF = replace(ON, flash_attention=FlashAttention.OFF)
GIB = 2**30


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle() as oracle:
        yield oracle


def zoo(name: str) -> ZooEntry:
    return next(entry for entry in ZOO if entry.name == name)


def published(name: str) -> PublishedModel:
    return next(model for model in PUBLISHED if model.name == name)


def kv_bytes(model: ZooEntry | PublishedModel, settings: LoadSettings, tmp_path: Path) -> tuple[int, ...]:
    return kv_bytes_by_layer(shape_of(read_model_header(model.write(tmp_path / "model.gguf"))), settings)


def differences(models: tuple[ZooEntry | PublishedModel, ...], oracle: Oracle, folder: Path) -> list[str]:
    """Compare two of the twelve settings of each model, drawn by its name, with what llama.cpp says."""
    found: list[str] = []
    for model in models:
        path = model.write(folder / "model.gguf")
        shape = shape_of(read_model_header(path))
        for number in Random(model.name).sample(range(len(SETTINGS)), 2):
            settings = SETTINGS[number]
            try:
                mine = sum(kv_bytes_by_layer(shape, settings)), sum(recurrent_bytes_by_layer(shape, settings))
            except SettingsRefused:
                continue
            measured = oracle.measure(path, settings)
            if measured is None or mine != (measured.kv, measured.recurrent):
                found.append(f"{model.name}, setting {number}: {mine}, and llama.cpp says {measured}")
    return found


def test_tiny_models_of_every_architecture_take_what_llama_cpp_says(oracle: Oracle, tmp_path: Path) -> None:
    assert len({entry.architecture for entry in ZOO}) >= 140
    assert differences(ZOO, oracle, tmp_path) == []


def test_published_models_take_what_llama_cpp_says(oracle: Oracle, tmp_path: Path) -> None:
    assert len(PUBLISHED) >= 15
    assert differences(PUBLISHED, oracle, tmp_path) == []


def test_a_layer_for_further_tokens_takes_nothing(oracle: Oracle, tmp_path: Path) -> None:
    path = published("GLM 4.5 Air").write_with_tensors(tmp_path / "model.gguf")
    shape = shape_of(read_model_header(path))
    by_layer = kv_bytes_by_layer(shape, ON)
    measured = oracle.measure(path, ON)
    assert measured is not None
    assert sum(by_layer) == measured.kv
    assert (len(by_layer), by_layer[0], by_layer[46]) == (47, 16 * 2**20, 0)


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("llama-1", replace(OFF, type_v=KvType.Q8_0), "values of type q8_0 need flash attention, which is off"),
        ("deepseek2-1", replace(ON, type_k=KvType.Q8_0), "its keys and values are one"),
        ("deepseek4-1", replace(ON, type_k=KvType.Q8_0), "its keys and values are one"),
        ("grok-1", replace(ON, type_v=KvType.Q8_0), "values of type q8_0 need flash attention, which is off"),
        ("plm-1", ON, "flash attention on models of its kind"),
        ("t5-1", replace(ON, n_seq_max=2, kv_unified=False), "cells of their own for each sequence"),
        ("kimi-linear-1", replace(ON, n_seq_max=3, kv_unified=False), "do not divide 512 tokens at once"),
    ],
)
def test_what_llama_cpp_refuses_is_refused_with_a_sentence(
    name: str, settings: LoadSettings, reason: str, oracle: Oracle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GGML_NO_BACKTRACE", "1")
    path = zoo(name).write(tmp_path / "model.gguf")
    with pytest.raises(SettingsRefused) as refused:
        kv_bytes_by_layer(shape_of(read_model_header(path)), settings)
    assert reason in refused.value.what
    assert oracle.measure(path, settings) is None


def test_heads_that_a_block_does_not_divide_are_refused(oracle: Oracle, tmp_path: Path) -> None:
    model = replace(published("Phi 4"), keys={**published("Phi 4").keys, "embedding_length": 40 * 80})
    path = model.write(tmp_path / "model.gguf")
    settings = replace(ON, type_k=KvType.Q4_0, type_v=KvType.Q4_0)
    with pytest.raises(SettingsRefused, match="heads with keys of 80 numbers, and q4_0 holds only blocks of 32"):
        kv_bytes_by_layer(shape_of(read_model_header(path)), settings)
    assert oracle.measure(path, settings) is None


def test_a_kv_cache_of_a_well_known_model_has_the_well_known_size(tmp_path: Path) -> None:
    at_128k = replace(ON, n_ctx_cells=131_072)
    assert sum(kv_bytes(published("Llama 3.1 8B"), at_128k, tmp_path)) == 16 * GIB
    assert sum(kv_bytes(published("Llama 3.1 70B"), at_128k, tmp_path)) == 40 * GIB
    in_q8_0 = replace(at_128k, type_k=KvType.Q8_0, type_v=KvType.Q8_0)
    assert sum(kv_bytes(published("Llama 3.1 8B"), in_q8_0, tmp_path)) == 16 * GIB * 34 // 64
    # One latent of 576 numbers a token and layer, where the decompressed keys and values would be 40,960.
    assert sum(kv_bytes(published("DeepSeek V3"), at_128k, tmp_path)) == 131_072 * 61 * 576 * 2


def test_layers_with_a_window_stop_growing(tmp_path: Path) -> None:
    model, windowed = published("Gemma 3 27B"), replace(ON, swa_full=False)
    small = kv_bytes(model, replace(windowed, n_ctx_cells=8192), tmp_path)
    large = kv_bytes(model, replace(windowed, n_ctx_cells=131_072), tmp_path)
    slides = [il % 6 != 5 for il in range(62)]
    assert [a == b for a, b in zip(small, large, strict=True)] == slides
    assert large[0] == 1536 * 16 * 128 * 2 * 2  # 1,024 tokens of window and a ubatch of 512
    assert large[5] == 131_072 * 16 * 128 * 2 * 2


def test_without_flash_attention_every_row_of_values_is_as_wide_as_the_widest(oracle: Oracle, tmp_path: Path) -> None:
    entry = zoo("openelm-per-layer")
    path = entry.write(tmp_path / "model.gguf")
    with_flash, without = kv_bytes(entry, ON, tmp_path), kv_bytes(entry, OFF, tmp_path)
    assert sum(without) > sum(with_flash)
    measured = oracle.measure(path, OFF)
    assert measured is not None
    assert sum(without) == measured.kv


def test_layers_that_read_anothers_cache_take_nothing(tmp_path: Path) -> None:
    by_layer = kv_bytes(published("Gemma 3n E4B"), ON, tmp_path)
    assert [taken > 0 for taken in by_layer] == [True] * 20 + [False] * 15


@pytest.mark.parametrize("name", ["bert-1", "llada-1", "mamba2-1", "rwkv7-1"])
def test_models_without_keys_and_values_take_none(name: str, tmp_path: Path) -> None:
    assert set(kv_bytes(zoo(name), ON, tmp_path)) == {0}


@pytest.mark.parametrize(
    ("settings", "cells"),
    [
        (LoadSettings(n_ctx_cells=300), (512, 512, 1)),
        (LoadSettings(n_ctx_cells=8192, n_seq_max=4), (8192, 8192, 1)),
        (LoadSettings(n_ctx_cells=8192, n_seq_max=4, kv_unified=False), (8192, 2048, 4)),
        (LoadSettings(n_ctx_cells=8192, n_seq_max=3, kv_unified=False), (8448, 2816, 3)),
        (LoadSettings(n_ctx_cells=256, n_seq_max=8, kv_unified=False), (2048, 256, 8)),
    ],
)
def test_cells_are_made_in_steps_of_256_for_each_stream(settings: LoadSettings, cells: tuple[int, int, int]) -> None:
    made = context_cells(settings)
    assert (made.n_ctx, made.n_ctx_seq, made.n_stream) == cells


def test_more_sequences_than_llama_cpp_can_have_are_refused() -> None:
    assert context_cells(LoadSettings(n_ctx_cells=4096, n_seq_max=256)).n_ctx == 4096
    with pytest.raises(FitUnknown, match="257 sequences at once are more than 256"):
        context_cells(LoadSettings(n_ctx_cells=4096, n_seq_max=257))
