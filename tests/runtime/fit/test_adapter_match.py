"""An adapter is put on the model that it was made for, or one sentence says why not."""

from pathlib import Path

import pytest
from tests.fit.forged import header_of
from tests.gguf.forge import TOKENS, Tensor, TinyModel, forge_llama_model

from quern.gguf import ModelHeader, read_model_header
from quern.runtime.fit.adapter_match import MisfitAdapter, check_adapter

PATH = Path("adapter.gguf")
N_TOKENS = len(TOKENS)


@pytest.fixture
def model(tmp_path: Path) -> ModelHeader:
    return read_model_header(forge_llama_model(tmp_path / "model.gguf", TinyModel()))


def adapter(*tensors: tuple[str, tuple[int, ...]]) -> ModelHeader:
    return header_of({"general.type": "adapter"}, [Tensor(name, dimensions) for name, dimensions in tensors])


def test_matrices_as_long_as_the_weights_are_taken(model: ModelHeader) -> None:
    down = "blk.1.ffn_down.weight"
    check_adapter(PATH, adapter((f"{down}.lora_a", (128, 8)), (f"{down}.lora_b", (8, 64))), model)


def test_those_of_the_embedding_table_lie_turned(model: ModelHeader) -> None:
    table = "token_embd.weight"
    check_adapter(PATH, adapter((f"{table}.lora_a", (8, N_TOKENS)), (f"{table}.lora_b", (8, 64))), model)
    with pytest.raises(MisfitAdapter):
        check_adapter(PATH, adapter((f"{table}.lora_a", (64, 8)), (f"{table}.lora_b", (8, N_TOKENS))), model)


def test_norms_are_passed_over(model: ModelHeader) -> None:
    check_adapter(PATH, adapter(("blk.0.attn_norm.weight", (64,))), model)


@pytest.mark.parametrize(
    ("name", "dimensions", "words"),
    [
        ("some.weight", (4, 4), 'it holds "some.weight"'),
        ("lora_a", (64, 8), 'it is for weights ""'),
        ("blk.7.attn_q.weight.lora_a", (64, 8), 'it is for weights "blk.7.attn_q.weight"'),
        ("blk.0.attn_q.weight.lora_a", (65, 8), 'its matrices for "blk.0.attn_q.weight" have another size'),
        ("blk.0.attn_q.weight.lora_b", (8, 65), "have another size"),
        ("blk.0.attn_q.weight.lora_a", (64,), "have another size"),
        ("blk.0.attn_norm.weight.lora_a", (64, 8), "have another size"),
    ],
)
def test_matrices_that_go_with_nothing_are_refused(
    model: ModelHeader, name: str, dimensions: tuple[int, ...], words: str
) -> None:
    with pytest.raises(MisfitAdapter) as caught:
        check_adapter(PATH, adapter((name, dimensions)), model)
    assert caught.value.what.startswith('"adapter.gguf" cannot change this model: ')
    assert words in caught.value.what
