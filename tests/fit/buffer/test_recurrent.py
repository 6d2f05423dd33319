"""The recurrent state's bytes: one of each sequence, whatever the context, and none where nothing recurs."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fit.zoo import PUBLISHED, ZOO, Oracle, ZooEntry

from quern.fit import ModelShape, recurrent_bytes_by_layer, shape_of
from quern.gguf import read_model_header
from quern.spec import FlashAttention, LoadSettings

ONE = LoadSettings(n_ctx_cells=4096, n_threads=1, n_gpu_layers=0, flash_attention=FlashAttention.ON)
FOUR = replace(ONE, n_seq_max=4)
KEEPS_STATES = {
    *("mamba", "mamba2", "rwkv6", "rwkv7", "arwkv7", "jamba", "falcon-h1", "plamo2", "granitehybrid", "nemotron_h"),
    *("nemotron_h_moe", "lfm2", "lfm2moe", "qwen3next", "qwen35", "qwen35moe", "qwen4exp", "kimi-linear", "kimi-k3"),
    *("bailingmoe3", "glm5-next", "minimax-01"),
}
RECURRENT = tuple(entry for entry in ZOO if entry.architecture in KEEPS_STATES)


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle() as oracle:
        yield oracle


def published(name: str, tmp_path: Path) -> ModelShape:
    model = next(model for model in PUBLISHED if model.name == name)
    return shape_of(read_model_header(model.write(tmp_path / "model.gguf")))


@pytest.mark.parametrize("entry", RECURRENT, ids=lambda entry: entry.name)
def test_a_state_for_each_sequence_as_llama_cpp_says(entry: ZooEntry, oracle: Oracle, tmp_path: Path) -> None:
    path = entry.write(tmp_path / "model.gguf")
    shape = shape_of(read_model_header(path))
    one, four = (sum(recurrent_bytes_by_layer(shape, settings)) for settings in (ONE, FOUR))
    measured = oracle.measure(path, FOUR)
    assert measured is not None
    assert four == measured.recurrent == 4 * one
    assert one > 0


def test_the_state_of_a_well_known_model_has_the_well_known_size(tmp_path: Path) -> None:
    shape = published("Qwen3 Next 80B A3B", tmp_path)
    # 36 of 48 layers: 32 heads of 128 x 128, and 3 inputs of the convolution over 8,192 channels, as F32.
    assert sum(recurrent_bytes_by_layer(shape, ONE)) == 36 * 4 * (32 * 128 * 128 + 3 * 8192)
    assert [taken == 0 for taken in recurrent_bytes_by_layer(shape, ONE)] == [il % 4 == 3 for il in range(48)]


def test_the_state_does_not_grow_with_the_context(tmp_path: Path) -> None:
    shape = published("Mamba 2 2.7B", tmp_path)
    assert recurrent_bytes_by_layer(shape, ONE) == recurrent_bytes_by_layer(shape, replace(ONE, n_ctx_cells=131_072))


def test_attention_keeps_no_state(tmp_path: Path) -> None:
    assert set(recurrent_bytes_by_layer(published("Llama 3.1 8B", tmp_path), FOUR)) == {0}
