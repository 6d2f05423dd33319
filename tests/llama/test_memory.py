"""A memory is cut back only to where everything that the next token sees is still there."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.llama.tiny_gemma import WINDOW, forge_gemma

from quern.llama import Batch, Context, Decoded, Memory, Model

from .conftest import SAFE, SMALL

N_UBATCH = 32
# A whole window of a sequence and one ubatch, padded to 256 (llama-kv-cache-iswa.cpp): what is remembered for certain.
PARTIAL = replace(SMALL, n_ctx_cells=1024, n_batch_tokens=N_UBATCH, n_ubatch_tokens=N_UBATCH, keeps_whole_window=False)
WHOLE = replace(PARTIAL, keeps_whole_window=True)
TOKENS = [5 + index * 37 % 250 for index in range(600)]


@pytest.fixture(scope="module")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Model]:
    path: Path = forge_gemma(tmp_path_factory.mktemp("gemma") / "gemma.gguf")
    with Model.open(path, SAFE, lambda _share: True) as model:
        yield model


def feed(context: Context, tokens: list[int], first: int = 0) -> None:
    with Batch(N_UBATCH) as batch:
        for start in range(0, len(tokens), N_UBATCH):
            batch.fill(tokens[start : start + N_UBATCH], first + start)
            assert context.decode(batch) is Decoded.DONE


def memory_of(context: Context) -> Memory:
    assert context.memory is not None
    return context.memory


def test_a_window_takes_less_memory(gemma: Model) -> None:
    with Context(gemma, PARTIAL) as partial, Context(gemma, WHOLE) as whole:
        assert sum(partial.log_figures.kv_bytes) < sum(whole.log_figures.kv_bytes)


def test_a_cut_that_lost_a_part_of_its_window_is_refused_and_changes_nothing(gemma: Model) -> None:
    with Context(gemma, PARTIAL) as context:
        feed(context, TOKENS)
        assert not memory_of(context).cut(100)
        assert memory_of(context).n_positions == len(TOKENS)
        assert memory_of(context).cut(len(TOKENS))


def test_a_cut_within_what_is_remembered_is_as_good_as_new(gemma: Model) -> None:
    n_kept = len(TOKENS) - 20
    with Context(gemma, PARTIAL) as context, Context(gemma, PARTIAL) as fresh:
        feed(context, TOKENS)
        assert memory_of(context).cut(n_kept)
        assert memory_of(context).n_positions == n_kept
        feed(context, [9, 8, 7], n_kept)
        feed(fresh, TOKENS[:n_kept])
        feed(fresh, [9, 8, 7], n_kept)
        assert context.logits() == pytest.approx(fresh.logits(), abs=1e-3)


def test_every_cut_is_right_or_refused(gemma: Model) -> None:
    """The greatest cut that is refused and the smallest that is taken lie one position apart, and that one is right."""
    with Context(gemma, PARTIAL) as context, Context(gemma, PARTIAL) as fresh:
        feed(context, TOKENS)
        refused = [n for n in range(1, len(TOKENS)) if not memory_of(context).has_window_before(n)]
        assert refused == list(range(1, len(refused) + 1))
        n_kept = len(refused) + 1
        assert WINDOW < n_kept < len(TOKENS) - WINDOW
        assert memory_of(context).cut(n_kept)
        feed(context, [9], n_kept)
        feed(fresh, TOKENS[:n_kept])
        feed(fresh, [9], n_kept)
        assert context.logits() == pytest.approx(fresh.logits(), abs=1e-3)


def test_after_a_cut_the_window_moves_on_as_before(gemma: Model) -> None:
    with Context(gemma, PARTIAL) as context, Context(gemma, PARTIAL) as fresh:
        feed(context, TOKENS[:400])
        assert memory_of(context).cut(380)
        feed(context, TOKENS[380:], 380)
        feed(fresh, TOKENS)
        assert context.logits() == pytest.approx(fresh.logits(), abs=1e-3)
        assert not memory_of(context).cut(100)


def test_a_whole_cache_is_cut_anywhere(gemma: Model) -> None:
    with Context(gemma, WHOLE) as context, Context(gemma, WHOLE) as fresh:
        feed(context, TOKENS)
        assert memory_of(context).cut(10)
        feed(context, [9], 10)
        feed(fresh, TOKENS[:10])
        feed(fresh, [9], 10)
        assert context.logits() == pytest.approx(fresh.logits(), abs=1e-3)
