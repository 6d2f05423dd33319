"""Facts survive the database."""

import pytest

from quern.gguf import FileKind, ModelFacts, SamplingDefaults
from quern.models.facts_json import facts_from_json, facts_to_json

FACTS = ModelFacts(
    name="Naïve \ufffd",
    architecture="llama",
    parameter_count=10**12,
    quantization="Q4_K_M",
    size_bytes=2**40,
    kind=FileKind.MODEL,
    n_ctx_train=8192,
    chat_templates={"default": "{{ '\n' }}", "tool_use": "…"},
    sampling=SamplingDefaults(temperature=0.6, top_k=20),
    eos_token_id=2,
    licence="apache-2.0",
    garbled_keys=("general.name",),
    n_projection=640,
    base_models=("https://example.org/base", "Other"),
)


def test_facts_come_back_equal() -> None:
    assert facts_from_json(facts_to_json(FACTS)) == FACTS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"format": 0}',
        '{"format": 1}',
        '{"format": 2}',
        facts_to_json(FACTS).replace('"kind": "model"', '"kind": "poem"'),
        facts_to_json(FACTS).replace('"architecture"', '"unknown_field"'),
    ],
)
def test_anything_else_counts_as_not_remembered(text: str) -> None:
    assert facts_from_json(text) is None
