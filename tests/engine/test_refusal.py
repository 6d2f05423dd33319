"""llama.cpp's words become the engine's causes."""

from pathlib import Path

import pytest

from quern.base import QuernError
from quern.engine import (
    ContextNotCreatable,
    ModelNotLoadable,
    UnknownArchitecture,
    VocabularyUnusable,
    error_from_last_words,
)
from quern.engine.refusal import error_from_refusal

PATH = Path("a.gguf")


@pytest.mark.parametrize(
    ("reason", "kind", "said"),
    [
        ("unknown model architecture: 'flux'", UnknownArchitecture, "the flux family"),
        ("error loading model vocabulary: cannot find tokenizer merges", VocabularyUnusable, "merges"),
        ("missing tensor 'output_norm.weight'", ModelNotLoadable, "missing tensor 'output_norm.weight'"),
    ],
)
def test_a_refusal_is_sorted(reason: str, kind: type[QuernError], said: str) -> None:
    error = error_from_refusal(PATH, reason)
    assert type(error) is kind
    assert said in error.what


def test_an_assertion_names_the_vocabulary() -> None:
    words = "noise\n/a/b/llama-vocab.cpp:2345: GGML_ASSERT(id_to_token.size() == token_to_id.size()) failed\nmore"
    error = error_from_last_words(PATH, words)
    assert isinstance(error, VocabularyUnusable)
    assert "token_to_id" in error.what


def test_an_uncaught_exception_is_quoted() -> None:
    words = "terminate called after throwing an instance of 'std::runtime_error'\n  what():  bad shape"
    error = error_from_last_words(PATH, words)
    assert isinstance(error, ModelNotLoadable)
    assert error.reason == "bad shape"


def test_memory_that_ran_out_is_named() -> None:
    words = "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc"
    assert isinstance(error_from_last_words(PATH, words), ContextNotCreatable)


def test_words_without_a_cause_name_none() -> None:
    assert error_from_last_words(PATH, "Aborted") is None
    assert error_from_last_words(PATH, "") is None
