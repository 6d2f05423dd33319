"""A model's shape is read from its header as llama.cpp reads it, and a header that lies is said to lie."""

import tracemalloc
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import cast

import pytest
from tests.fit.zoo import EXTRA_ZOO, PUBLISHED, SETTINGS, ZOO, ZooEntry

from quern.fit import FitUnknown, ModelShape, kv_bytes_by_layer, shape_of
from quern.fit.shape.architecture import KNOWN
from quern.fit.shape.sliding_window import WindowKind
from quern.gguf import Header, MetadataValue, ModelHeader, read_model_header

# Drafters that llama.cpp opens beside the model they draft for, and one that it only measures with tensors.
NOT_IN_THE_ZOO = {"eagle3", "dflash", "gemma4-assistant", "rwkv6qwen2"}
TINY_LLAMA: dict[str, MetadataValue] = {
    "general.architecture": "llama",
    "llama.context_length": 8192,
    "llama.embedding_length": 256,
    "llama.block_count": 4,
    "llama.feed_forward_length": 512,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "llama.vocab_size": 1000,
}
WEIRD: tuple[MetadataValue, ...] = (
    *(0, 1, -1, 513, 10**6, 2**32 - 1, 2**32, 2**63, 2.5, float("nan"), True, "12", "", ()),
    *((1,), (0, 0, 0), (4,) * 1024, (2**32 - 1,) * 4, (-1,) * 5, (1.5,) * 4, ("a",) * 4, (True, False, True)),
)


def header_of(metadata: dict[str, MetadataValue]) -> ModelHeader:
    header = Header(
        version=3,
        metadata=MappingProxyType(metadata),
        tensors=(),
        data_offset=0,
        alignment=32,
        size_bytes=0,
    )
    return ModelHeader((header,))


def published(name: str, tmp_path: Path, *, with_tensors: bool = False) -> ModelShape:
    model = next(model for model in PUBLISHED if model.name == name)
    write = model.write_with_tensors if with_tensors else model.write
    return shape_of(read_model_header(write(tmp_path / "model.gguf")))


def tiny(**changes: MetadataValue | None) -> ModelHeader:
    keys = {f"llama.{name}": value for name, value in changes.items()}
    metadata = TINY_LLAMA | {name.replace("__", "."): value for name, value in keys.items()}
    return header_of({key: value for key, value in metadata.items() if value is not None})


def test_every_architecture_of_the_engine_is_in_the_zoo() -> None:
    assert {entry.architecture for entry in ZOO} == KNOWN - NOT_IN_THE_ZOO


@pytest.mark.parametrize("entry", (*ZOO, *EXTRA_ZOO), ids=lambda entry: entry.name)
def test_a_shape_is_read_for_every_kind_of_model(tmp_path: Path, entry: ZooEntry) -> None:
    shape = shape_of(read_model_header(entry.write(tmp_path / "model.gguf")))
    assert 0 < shape.n_layer <= shape.n_layer_all == len(shape.kind_of)
    assert all(shape.kinds[index] is layer for index, layer in zip(shape.kind_of, shape.layers, strict=True))


def test_the_numbers_of_a_dense_model(tmp_path: Path) -> None:
    shape = published("Llama 3.1 8B", tmp_path)
    assert (shape.n_layer, shape.n_layer_all, len(shape.kinds)) == (32, 32, 1)
    assert (shape.n_embd, shape.n_vocab, shape.n_ctx_train) == (4096, 128_256, 131_072)
    layer = shape.layers[0]
    assert (layer.n_head, layer.n_head_kv, layer.key_length, layer.value_length, layer.n_ff) == (
        32,
        8,
        128,
        128,
        14_336,
    )
    assert (layer.attends, layer.slides, layer.is_recurrent, layer.has_experts) == (True, False, False, False)


def test_the_numbers_of_experts(tmp_path: Path) -> None:
    shape = published("DeepSeek V3", tmp_path)
    assert (shape.experts.n_expert, shape.experts.n_shared) == (256, 1)
    assert [layer.has_experts for layer in shape.layers] == [False] * 3 + [True] * 58
    assert (shape.layers[60].n_expert_used, shape.layers[60].n_ff_expert, shape.layers[60].n_ff) == (8, 2048, 18_432)
    assert shape.latent is not None
    assert (shape.latent.kv_rank, shape.latent.q_rank) == (512, 1536)
    mixtral = published("Mixtral 8x7B", tmp_path)
    assert (mixtral.layers[0].has_experts, mixtral.layers[0].n_ff_expert) == (True, 14_336)


@pytest.mark.parametrize(
    ("name", "dense", "n_swa"),
    [("Gemma 3 27B", [5, 11, 17, 23, 29, 35, 41, 47, 53, 59], 1024), ("gpt-oss 20B", list(range(1, 24, 2)), 128)],
)
def test_where_the_window_slides(name: str, dense: list[int], n_swa: int, tmp_path: Path) -> None:
    shape = published(name, tmp_path)
    assert (shape.window, shape.n_swa) == (WindowKind.STANDARD, n_swa)
    assert [il for il, layer in enumerate(shape.layers) if not layer.slides] == dense


def test_hybrid_layers(tmp_path: Path) -> None:
    granite = published("Granite 4.0 H Tiny", tmp_path)
    assert [il for il, layer in enumerate(granite.layers) if layer.attends] == [5, 15, 25, 35]
    assert {layer.attends for layer in published("Falcon H1 7B", tmp_path).layers} == {True}
    assert {layer.is_recurrent for layer in published("Falcon H1 7B", tmp_path).layers} == {True}
    lfm2 = published("LFM2 1.2B", tmp_path)
    assert [il for il, layer in enumerate(lfm2.layers) if not layer.is_recurrent] == [2, 5, 8, 10, 12, 14]


def test_a_layer_for_further_tokens_is_not_run(tmp_path: Path) -> None:
    shape = published("GLM 4.5 Air", tmp_path, with_tensors=True)
    assert (shape.n_layer, shape.n_layer_all) == (46, 47)
    assert [layer.is_nextn for layer in shape.layers] == [False] * 46 + [True]


def test_tensors_tell_about_the_output_and_the_experts(tmp_path: Path) -> None:
    assert published("Llama 3.1 8B", tmp_path, with_tensors=True).embeddings.has_output
    gemma = published("Gemma 3 1B", tmp_path, with_tensors=True)
    assert (gemma.embeddings.has_output, gemma.embeddings.has_tensors, gemma.n_vocab) == (False, True, 262_144)
    assert published("Qwen3 30B A3B", tmp_path, with_tensors=True).layers[47].has_experts


@pytest.mark.parametrize("name", ["gptj", "clip", "llama5", "x" * 500, "Llama"])
def test_an_architecture_that_the_engine_does_not_run_is_named(name: str) -> None:
    with pytest.raises(FitUnknown) as unknown:
        shape_of(header_of(TINY_LLAMA | {"general.architecture": name}))
    assert f'its architecture "{name[:100]}" is not one that the engine runs' in unknown.value.what


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (header_of({}), "does not name an architecture"),
        (tiny(block_count=None), 'lacks "llama.block_count"'),
        (tiny(embedding_length=None), 'lacks "llama.embedding_length"'),
        (tiny(vocab_size=None), "does not say how many words it knows"),
        (tiny(block_count=0), 'says 0 for "llama.block_count"'),
        (tiny(block_count=513), 'says 513 for "llama.block_count"'),
        (tiny(block_count=10**6), 'says 1,000,000 for "llama.block_count"'),
        (tiny(block_count=2**32 - 1), 'says 4,294,967,295 for "llama.block_count"'),
        (tiny(block_count=-4), 'says -4 for "llama.block_count"'),
        (tiny(block_count="four"), 'wrong type for "llama.block_count"'),
        (tiny(block_count=True), 'wrong type for "llama.block_count"'),
        (tiny(nextn_predict_layers=5), "counts 5 of 4 layers as extra ones"),
        (tiny(attention__head_count=(4, 4)), 'has 2 and not 4 values for "llama.attention.head_count"'),
        (tiny(attention__head_count=("4",) * 4), 'wrong type for "llama.attention.head_count"'),
        (tiny(attention__head_count_kv=2**30), 'says 1,073,741,824 for "llama.attention.head_count_kv"'),
        (tiny(attention__key_length=2**20, attention__head_count_kv=2**20), "more than 16 million numbers a token"),
        (tiny(embedding_length=2**31), 'says 2,147,483,648 for "llama.embedding_length"'),
        (tiny(expert_count=8), "0 of 8 experts are used"),
        (tiny(expert_count=8, expert_used_count=9), "9 of 8 experts are used"),
        (tiny(expert_count=2000), 'says 2,000 for "llama.expert_count"'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_header_that_lies_or_lacks_is_said_to(header: ModelHeader, reason: str) -> None:
    with pytest.raises(FitUnknown) as unknown:
        shape_of(header)
    assert reason in unknown.value.what
    assert unknown.value.what.endswith(".")


def test_no_heads_are_no_lie() -> None:
    shape = shape_of(tiny(attention__head_count=0, attention__head_count_kv=0))
    assert [layer.caches[0].k_width for layer in shape.layers] == [0] * 4
    assert not any(layer.attends for layer in shape.layers)


def test_a_window_that_slides_nowhere_is_a_lie() -> None:
    metadata = {key.replace("llama.", "gemma2."): value for key, value in TINY_LLAMA.items()}
    metadata |= {"general.architecture": "gemma2", "gemma2.attention.sliding_window_pattern": 1}
    with pytest.raises(FitUnknown, match="no layer where it slides"):
        shape_of(header_of(metadata))


def test_whatever_a_header_says_it_has_a_shape_or_a_reason() -> None:
    dice = Random(7)
    headers = [entry.metadata() for entry in (*ZOO, *EXTRA_ZOO)]
    n_refused = 0
    tracemalloc.start()
    for _ in range(4000):
        metadata = cast(dict[str, MetadataValue], dict(dice.choice(headers)))
        for key in dice.sample(sorted(metadata), dice.choice((1, 1, 2))):
            metadata[key] = dice.choice(WEIRD)
        try:
            shape = shape_of(header_of({key: _read(value) for key, value in metadata.items()}))
            kv_bytes_by_layer(shape, dice.choice(SETTINGS))
        except FitUnknown as error:
            n_refused += 1
            assert "\n" not in error.what
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_refused > 700
    assert peak < 8 * 2**20


def _read(value: MetadataValue | list[object]) -> MetadataValue:
    return cast(MetadataValue, tuple(value)) if isinstance(value, list) else value
