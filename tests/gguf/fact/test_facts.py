"""Facts from headers: what is there is found, what is strange counts as absent."""

import pytest
from tests.gguf.forge import Tensor, forge

from quern.gguf import BytesSource, ModelFacts, SamplingDefaults, facts_of, read_header


def facts(metadata: dict[str, object], *tensors: Tensor) -> ModelFacts:
    return facts_of(read_header(BytesSource(forge({"general.architecture": "llama", **metadata}, tensors))))


def test_sampling_defaults_are_read() -> None:
    found = facts(
        {
            "general.sampling.temp": 0.6,
            "general.sampling.top_k": 20,
            "general.sampling.top_p": 0.5,
            "general.sampling.min_p": 0.25,
            "general.sampling.penalty_repeat": 1.5,
            "general.sampling.penalty_last_n": 64,
        }
    ).sampling
    assert found.temperature == pytest.approx(0.6)
    assert (found.top_k, found.top_p, found.min_p) == (20, 0.5, 0.25)
    assert (found.repeat_penalty, found.repeat_last_n_tokens) == (1.5, 64)


@pytest.mark.parametrize(
    "metadata",
    [
        {"general.sampling.temp": float("nan")},
        {"general.sampling.temp": float("inf")},
        {"general.sampling.temp": "hot"},
        {"general.sampling.top_k": -1},
        {"general.sampling.top_k": 0.5},
        {"general.sampling.top_p": 1.5},
        {"general.sampling.min_p": True},
    ],
)
def test_senseless_sampling_counts_as_absent(metadata: dict[str, object]) -> None:
    assert facts(metadata).sampling == SamplingDefaults()


def test_whole_numbers_are_good_enough_where_reals_are_meant() -> None:
    assert facts({"general.sampling.temp": 1}).sampling.temperature == 1.0


def test_named_chat_templates_are_found_beside_the_main_one() -> None:
    found = facts(
        {
            "tokenizer.chat_template": "main",
            "tokenizer.chat_template.tool_use": "tools",
            "tokenizer.chat_templates": ["tool_use"],
        }
    )
    assert found.chat_templates == {"default": "main", "tool_use": "tools"}


def test_an_empty_chat_template_is_none() -> None:
    assert facts({"tokenizer.chat_template": " \n"}).chat_templates == {}


def test_quantization_without_a_file_type_is_that_of_most_bytes() -> None:
    tensors = (Tensor("norm", (32,)), Tensor("w", (256, 8), bytes(8 * 144), type_number=12))
    assert facts({}, *tensors).quantization == "Q4_K"
    assert facts({"general.file_type": 15}, *tensors).quantization == "Q4_K_M"
    assert facts({"general.file_type": 1024 + 7}, *tensors).quantization == "Q8_0"
    assert facts({"general.file_type": 999}, *tensors).quantization == "Q4_K"
    assert facts({}).quantization == ""


def test_vocabulary_size_comes_from_the_weights_first() -> None:
    metadata: dict[str, object] = {"tokenizer.ggml.tokens": ["a", "b"], "llama.vocab_size": 7}
    assert facts(metadata, Tensor("token_embd.weight", (4, 3))).n_vocab == 3
    assert facts(metadata).n_vocab == 2
    assert facts({"llama.vocab_size": 7}).n_vocab == 7
    assert facts({}).n_vocab is None


def test_values_of_the_wrong_type_count_as_absent() -> None:
    found = facts({"llama.context_length": "long", "general.name": 7, "tokenizer.ggml.bos_token_id": "one"})
    assert (found.n_ctx_train, found.name, found.bos_token_id) == (None, "", None)
