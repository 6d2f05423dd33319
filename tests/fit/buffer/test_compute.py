"""The compute buffer's bytes against llama.cpp's own dry run, on shapes that no formula was made with."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.fit.zoo import PUBLISHED, SETTINGS, ZOO, Oracle, PublishedModel, ZooEntry

from quern.fit import SettingsRefused, shape_of
from quern.fit.buffer.compute import LayerSpan, compute_bytes
from quern.gguf import read_model_header
from quern.spec import FlashAttention, LoadSettings

# Graphs that are built of their relatives' layers, or not at all: the widest deviation that each is known for.
ROUGH = {
    "deepseek4": 0.7,
    "dots3note": 0.3,
    "glm5-next": 0.9,
    "hy_v4": 0.6,
    "kimi-k3": 0.35,
    "qwen4exp": 0.5,
    "wavtokenizer-dec": 2.5,
}
CLOSE = 0.08
ON = LoadSettings(n_ctx_cells=4096, n_threads=1, n_gpu_layers=0, flash_attention=FlashAttention.ON)


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle() as oracle:
        yield oracle


def fresh(entry: ZooEntry) -> ZooEntry:
    """Return the same kind of model with other sizes."""
    return ZooEntry(entry.architecture, f"{entry.name} for test_compute", entry.parts)


def deviations(path: Path, oracle: Oracle, numbers: list[int]) -> Iterator[float]:
    """Yield by how much the formula deviates with those of the twelve settings that the model can have."""
    shape = shape_of(read_model_header(path))
    for settings in (SETTINGS[number] for number in numbers):
        measured = oracle.measure(path, settings)
        if measured is not None:
            yield compute_bytes(shape, settings) / measured.compute - 1


def test_unseen_models_of_every_architecture_compute_in_what_llama_cpp_says(oracle: Oracle, tmp_path: Path) -> None:
    found: list[float] = []
    for entry in map(fresh, ZOO):
        path, allowed = entry.write(tmp_path / "model.gguf"), ROUGH.get(entry.architecture, CLOSE)
        for deviation in deviations(path, oracle, Random(entry.name).sample(range(len(SETTINGS)), 2)):
            assert abs(deviation) <= allowed, f"{entry.name}: {deviation:+.2%}"
            found.append(abs(deviation))
    assert len(found) > 500
    assert sum(deviation == 0 for deviation in found) > 0.9 * len(found)


@pytest.mark.parametrize("model", PUBLISHED, ids=lambda model: model.name)
def test_published_models_compute_in_exactly_what_llama_cpp_says(
    model: PublishedModel, oracle: Oracle, tmp_path: Path
) -> None:
    drawn = Random(model.name).sample(range(len(SETTINGS)), 3)
    assert not any(deviations(model.write(tmp_path / "bare.gguf"), oracle, drawn))
    assert not any(deviations(model.write_with_tensors(tmp_path / "whole.gguf"), oracle, drawn))


def published_bytes(name: str, folder: Path, settings: LoadSettings, span: LayerSpan | None = None) -> int:
    model = next(model for model in PUBLISHED if model.name == name)
    return compute_bytes(shape_of(read_model_header(model.write(folder / "model.gguf"))), settings, span)


def test_scores_of_all_heads_take_more_room_than_flash_attention(tmp_path: Path) -> None:
    off = replace(ON, n_ctx_cells=32_768, flash_attention=FlashAttention.OFF)
    assert published_bytes("Llama 3.1 8B", tmp_path, off) > 32 * 512 * 32_768 * 4
    assert published_bytes("Llama 3.1 8B", tmp_path, replace(ON, n_ctx_cells=32_768)) < 32 * 512 * 32_768


def test_a_device_computes_its_own_layers_alone(tmp_path: Path) -> None:
    middle = LayerSpan(first=4, end=20, has_input=False, has_output=False)
    last = replace(middle, first=20, end=32, has_output=True)
    whole = published_bytes("Llama 3.1 8B", tmp_path, ON)
    assert 0 < published_bytes("Llama 3.1 8B", tmp_path, ON, middle) < whole
    assert 0 < published_bytes("Llama 3.1 8B", tmp_path, ON, last) <= whole


def test_the_host_keeps_inputs_where_all_layers_are_elsewhere(tmp_path: Path) -> None:
    host = LayerSpan(first=0, end=0, has_input=True, has_output=False)
    n_bytes = published_bytes("Llama 3.1 8B", tmp_path, ON, host)
    embeddings, mask = 4096 * 512 * 4, 4096 * 512 * 2
    assert 2 * embeddings + mask <= n_bytes < 2 * embeddings + mask + 64 * 1024


def test_more_sequences_than_llama_cpp_can_have_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsRefused):
        published_bytes("Llama 3.1 8B", tmp_path, replace(ON, n_seq_max=257))
