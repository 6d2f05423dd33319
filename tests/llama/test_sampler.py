"""The chain picks tokens as its parameters say."""

import pytest

from quern.llama import Batch, Context, SamplerChain
from quern.spec import SamplingParams


def decode(context: Context, tokens: list[int]) -> None:
    with Batch(32) as batch:
        batch.fill(tokens, 0)
        context.decode(batch)


def draw(context: Context, params: SamplingParams, seed: int, count: int = 20) -> list[int]:
    with SamplerChain(params, seed, len(context.logits())) as chain:
        return [chain.sample(context) for _ in range(count)]


def test_temperature_0_is_the_largest_logit(context: Context) -> None:
    decode(context, [10, 11])
    logits = context.logits()
    assert set(draw(context, SamplingParams(temperature=0), 1)) == {max(range(len(logits)), key=logits.__getitem__)}


def test_a_seed_repeats_its_draws_and_another_does_not(context: Context) -> None:
    decode(context, [10, 11])
    hot = SamplingParams(temperature=2, top_k=0, top_p=1, min_p=0)
    assert draw(context, hot, 5) == draw(context, hot, 5)
    assert draw(context, hot, 5) != draw(context, hot, 6)


def test_top_k_narrows_the_choice(context: Context) -> None:
    decode(context, [10, 11])
    logits = context.logits()
    best = sorted(range(len(logits)), key=logits.__getitem__, reverse=True)[:3]
    drawn = draw(context, SamplingParams(temperature=5, top_k=3, top_p=1, min_p=0), 5, 100)
    assert set(drawn) == set(best)


def test_penalties_move_off_what_was_said(context: Context) -> None:
    decode(context, [10, 11])
    params = SamplingParams(temperature=0, presence_penalty=50)
    drawn = draw(context, params, 1, 5)
    assert len(set(drawn)) == 5
    with SamplerChain(params, 1, len(context.logits())) as chain:
        assert chain.remembers
        chain.accept(drawn[0])
        assert chain.sample(context) == drawn[1]


def test_without_penalties_it_need_not_hear_of_the_prompt() -> None:
    with SamplerChain(SamplingParams(), 1, 10) as chain:
        assert not chain.remembers


def test_sampling_without_logits_never_reaches_the_library(context: Context) -> None:
    with SamplerChain(SamplingParams(), 1, 10) as chain, pytest.raises(ValueError, match="no logits"):
        chain.sample(context)


def test_closing_twice_frees_once(context: Context) -> None:
    decode(context, [10])
    chain = SamplerChain(SamplingParams(), 1, 10)
    chain.close()
    chain.close()
    with pytest.raises(ValueError, match="closed"):
        chain.sample(context)
