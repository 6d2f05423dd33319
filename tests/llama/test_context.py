"""Decode, its guards, its memory, its abort switch."""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite

import pytest

from quern.llama import Batch, Context, ContextRefused, Decoded, DecodeFailed, Model
from quern.llama.log_figures import LogPart

from .conftest import SMALL

Q8_0 = 8


@pytest.fixture
def batch() -> Iterator[Batch]:
    with Batch(64) as made:
        yield made


def test_decodes_and_leaves_logits(context: Context, batch: Batch, model: Model) -> None:
    batch.fill([10, 11, 12], 0)
    assert context.decode(batch) is Decoded.DONE
    logits = context.logits()
    assert len(logits) == model.vocab.n_tokens
    assert all(isfinite(value) for value in logits)
    assert context.logit(5) == logits[5]
    assert context.memory is not None
    assert context.memory.n_positions == 3


def test_sizes_are_what_llama_cpp_made_of_them(context: Context) -> None:
    assert (context.n_ctx_cells, context.n_batch_tokens, context.n_ubatch_tokens) == (256, 32, 32)
    assert (context.n_ctx_seq_cells, context.n_seq_max) == (256, 1)
    assert context.log_figures.total(LogPart.COMPUTE) > 0


def test_a_batch_larger_than_the_contexts_never_reaches_the_library(context: Context, batch: Batch) -> None:
    batch.fill([10] * 33, 0)
    with pytest.raises(ValueError, match="cannot be decoded"):
        context.decode(batch)


def test_no_logits_before_a_decode_nor_for_a_foreign_id(context: Context, batch: Batch) -> None:
    with pytest.raises(ValueError, match="no logits"):
        context.logits()
    batch.fill([10], 0)
    context.decode(batch)
    with pytest.raises(ValueError, match="vocabulary"):
        context.logit(10**6)


def test_a_foreign_id_in_the_batch_is_an_error_not_an_abort(context: Context, batch: Batch) -> None:
    batch.fill([10**6], 0)
    with pytest.raises(DecodeFailed):
        context.decode(batch)


def test_a_gap_in_the_positions_is_an_error_not_an_abort(context: Context, batch: Batch) -> None:
    batch.fill([10], 0)
    context.decode(batch)
    batch.fill([10], 9)
    with pytest.raises(DecodeFailed):
        context.decode(batch)


def test_more_tokens_than_cells_find_no_room(context: Context, batch: Batch) -> None:
    for first in range(0, 256, 32):
        batch.fill([10] * 32, first)
        assert context.decode(batch) is Decoded.DONE
    batch.fill([10], 256)
    assert context.decode(batch) is Decoded.NO_ROOM


def test_the_switch_stops_and_the_context_goes_on_after(context: Context, batch: Batch) -> None:
    batch.fill([10, 11], 0)
    context.abort_switch.set()
    assert context.abort_switch.is_set
    assert context.decode(batch) is Decoded.ABORTED
    assert context.memory is not None
    assert context.memory.n_positions == 0
    context.abort_switch.clear()
    assert context.decode(batch) is Decoded.DONE


def test_memory_is_cut_and_cleared(context: Context, batch: Batch) -> None:
    memory = context.memory
    assert memory is not None
    batch.fill([10, 11, 12, 13], 0)
    context.decode(batch)
    assert memory.cut(9)
    assert memory.n_positions == 4
    assert memory.cut(2)
    assert memory.n_positions == 2
    assert memory.cut(0)
    assert memory.n_positions == 0


def test_settings_that_contradict_each_other_are_refused_with_a_reason(model: Model) -> None:
    with pytest.raises(ContextRefused) as refused:
        Context(model, replace(SMALL, type_v=Q8_0))
    assert "flash" in refused.value.reason.lower()


def test_closing_twice_frees_once(model: Model, batch: Batch) -> None:
    context = Context(model, SMALL)
    context.close()
    context.close()
    batch.fill([1], 0)
    with pytest.raises(ValueError, match="closed"):
        context.decode(batch)
