"""Numbers that llama.cpp would cut off or abort on stop here."""

from dataclasses import replace

import pytest

from quern.llama import Context, ContextParams, ContextRefused, Model
from quern.llama.context_params import raw_context_params

from .conftest import SMALL


@pytest.mark.parametrize(
    "params",
    [
        replace(SMALL, n_ctx_cells=0),
        replace(SMALL, n_ctx_cells=-1),
        replace(SMALL, n_ctx_cells=10**12),
        replace(SMALL, n_ctx_cells=1 << 32),
        replace(SMALL, n_seq_max=0),
        replace(SMALL, n_seq_max=257),
        replace(SMALL, n_batch_tokens=0),
        replace(SMALL, n_ubatch_tokens=-5),
        replace(SMALL, n_threads=1 << 40),
    ],
)
def test_impossible_numbers_are_refused_with_what_is_possible(params: ContextParams) -> None:
    with pytest.raises(ContextRefused) as refused:
        raw_context_params(params)
    assert "only 1 to" in refused.value.reason


def test_each_sequence_may_have_one_output() -> None:
    raw = raw_context_params(replace(SMALL, n_seq_max=8))
    assert (raw.n_seq_max, raw.n_outputs_max, raw.n_outputs_max_per_seq) == (8, 8, 1)


@pytest.mark.parametrize(
    ("is_unified", "cells"),
    [(True, (512, 512)), (False, (768, 256))],
)
def test_cells_are_shared_or_split_and_padded(model: Model, *, is_unified: bool, cells: tuple[int, int]) -> None:
    params = replace(SMALL, n_ctx_cells=512, n_seq_max=3, is_unified=is_unified)
    with Context(model, params) as context:
        assert (context.n_ctx_cells, context.n_ctx_seq_cells) == cells


@pytest.mark.parametrize("is_unified", [True, False])
def test_as_many_sequences_as_there_can_be(model: Model, *, is_unified: bool) -> None:
    with Context(model, replace(SMALL, n_seq_max=256, is_unified=is_unified)) as context:
        assert context.n_seq_max == 256
