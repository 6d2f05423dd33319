"""A batch refuses what would abort the process."""

import pytest

from quern.llama import Batch


def test_fills_consecutive_positions_and_asks_for_the_last_logits() -> None:
    with Batch(4) as batch:
        batch.fill([7, 8, 9], 5)
        raw = batch.raw
        assert raw.n_tokens == 3
        assert (raw.token[:3], raw.pos[:3], raw.logits[:3]) == ([7, 8, 9], [5, 6, 7], [0, 0, 1])
        batch.fill([3], 8)
        assert (raw.token[0], raw.pos[0], raw.logits[0]) == (3, 8, 1)
        assert raw.logits[2] == 0


@pytest.mark.parametrize(("n_tokens", "first"), [(0, 0), (5, 0), (1, -1)])
def test_refuses_what_does_not_fit(n_tokens: int, first: int) -> None:
    with Batch(4) as batch, pytest.raises(ValueError, match="do not fit"):
        batch.fill([1] * n_tokens, first)


def test_a_batch_holds_something() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Batch(0)


def test_closing_twice_frees_once() -> None:
    batch = Batch(1)
    batch.close()
    batch.close()
    with pytest.raises(ValueError, match="closed"):
        batch.fill([1], 0)
