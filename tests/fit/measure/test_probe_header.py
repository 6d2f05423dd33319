"""Probes are whole headers."""

from pathlib import Path

import pytest

from quern.fit.measure.probe_header import NO_VOCABULARY, PLAIN, WITH_MERGES, probe_header
from quern.gguf import BytesSource, read_header


@pytest.mark.parametrize(("tokenizer", "n_merges"), [(PLAIN, None), (WITH_MERGES, 100)])
def test_a_vocabulary_of_so_many_tokens(tokenizer: str, n_merges: int | None) -> None:
    header = read_header(BytesSource(probe_header(tokenizer, 100), Path("probe.gguf")))
    assert header.string("tokenizer.ggml.model") == tokenizer
    assert header.array_length("tokenizer.ggml.tokens") == header.array_length("tokenizer.ggml.token_type") == 100
    assert header.array_length("tokenizer.ggml.merges") == n_merges
    tokens = header.strings("tokenizer.ggml.tokens")
    assert tokens is None or len(set(tokens)) == 100


def test_no_vocabulary() -> None:
    header = read_header(BytesSource(probe_header(NO_VOCABULARY, 100), Path("probe.gguf")))
    assert header.array_length("tokenizer.ggml.tokens") is None
    assert header.integer("llama.vocab_size") == 100
    assert header.tensors == ()
