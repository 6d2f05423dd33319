"""What no buffer counts: by vocabulary, by GPU, and kept as JSON."""

import pytest

from quern.base import Json
from quern.fit import RuntimeCosts

COSTS = RuntimeCosts(base_bytes=1_000_000, merged_entry_bytes=300, plain_entry_bytes=100)


@pytest.mark.parametrize(
    ("tokenizer", "n_bytes"),
    [
        ("gpt2", 1_000_000 + 50 * 300),
        ("llama", 1_000_000 + 50 * 100),
        ("t5", 1_000_000 + 50 * 100),
        ("no_vocab", 1_000_000),
        (None, 1_000_000),
    ],
)
def test_a_vocabulary_costs_by_its_kind(tokenizer: str | None, n_bytes: int) -> None:
    assert COSTS.host_bytes(n_vocab=50, tokenizer=tokenizer, work_bytes=0) == n_bytes
    assert COSTS.host_bytes(n_vocab=50, tokenizer=tokenizer, work_bytes=7) == n_bytes + 7


def test_a_gpu_holds_a_context_and_a_server_its_own() -> None:
    assert COSTS.gpu_bytes("CUDA") > COSTS.gpu_bytes("MTL") > 0
    assert COSTS.gpu_bytes("RPC") == 0
    assert COSTS.gpu_bytes("one of tomorrow") > 0


def test_costs_are_what_was_written_down() -> None:
    assert RuntimeCosts.from_json(COSTS.to_json()) == COSTS


@pytest.mark.parametrize(
    "document",
    [None, 5, [], {}, {**COSTS.to_json(), "base_bytes": 0}, {**COSTS.to_json(), "plain_entry_bytes": "100"}],
)
def test_anything_else_is_refused(document: Json) -> None:
    with pytest.raises(ValueError, match="no costs"):
        RuntimeCosts.from_json(document)
