"""The acceptance cases that only the engine can refuse: the reader survives them and says what the file says.

What the engine then does: tests/engine, tests/llama, tests/runtime and tests/workers, under the same case ids.
"""

import os
from pathlib import Path

import pytest
from tests.gguf.forge import TOKENS, TinyModel, forge_llama_model, with_duplicate_token

from quern.gguf import FileSource, FileUnreadable, GgufTruncated, inspect_model, read_header, read_model_header


def test_GG_06_a_duplicate_token_does_not_stop_the_reader(tmp_path: Path) -> None:
    facts = inspect_model(forge_llama_model(tmp_path / "m.gguf", with_duplicate_token()))
    assert facts.n_vocab == len(TOKENS)


@pytest.mark.parametrize("n_blocks", [0, 10_000, 2**32 - 1])
def test_GG_08_an_absurd_layer_count_is_read_as_it_is(tmp_path: Path, n_blocks: int) -> None:
    path = forge_llama_model(tmp_path / "m.gguf", TinyModel(metadata={"llama.block_count": n_blocks}))
    assert inspect_model(path).n_layer == n_blocks


def test_GG_12_a_file_that_shrinks_is_found_out_at_the_next_read(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "m.gguf")
    size = path.stat().st_size
    with FileSource(path) as source:
        read_header(source)
        os.truncate(path, 4096)
        with pytest.raises(FileUnreadable, match="changed while it was being read"):
            source.check_unchanged()
        with pytest.raises(FileUnreadable, match="became shorter while it was being read"):
            source.read_at(size - 64, 64)
    with pytest.raises(GgufTruncated):
        inspect_model(path)


def test_GG_16_a_dropped_tensor_is_not_in_the_list(tmp_path: Path) -> None:
    model = TinyModel(dropped_tensors=frozenset({"output_norm.weight"}))
    header = read_model_header(forge_llama_model(tmp_path / "m.gguf", model))
    assert "output_norm.weight" not in {tensor.name for tensor in header.tensors}


def test_GG_18_impossible_special_ids_are_read_as_they_are(tmp_path: Path) -> None:
    ids: dict[str, object] = {"tokenizer.ggml.eos_token_id": 999_999, "tokenizer.ggml.bos_token_id": 2**32 - 2}
    facts = inspect_model(forge_llama_model(tmp_path / "m.gguf", TinyModel(metadata=ids)))
    assert (facts.eos_token_id, facts.bos_token_id) == (999_999, 2**32 - 2)
