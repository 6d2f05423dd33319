"""What cannot be asked is refused before it is queued."""

import math
from dataclasses import replace

import pytest

from quern.engine import CompletionRequest, PromptEmpty, PromptTooLong, SamplingInvalid
from quern.engine.request import check_request
from quern.spec import SamplingParams

LIMIT, N_VOCAB = 100, 50


DEFAULTS = SamplingParams()


def check(n_tokens: int, sampling: SamplingParams = DEFAULTS) -> CompletionRequest:
    return check_request(CompletionRequest(tokens=(1,) * n_tokens, sampling=sampling), LIMIT, N_VOCAB)


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(PromptEmpty):
        check(0)


@pytest.mark.parametrize("n_tokens", [100, 101, 5000])
def test_a_prompt_without_room_for_a_reply_is_refused_with_the_figures(n_tokens: int) -> None:
    with pytest.raises(PromptTooLong) as refused:
        check(n_tokens)
    assert (refused.value.n_prompt_tokens, refused.value.limit_tokens) == (n_tokens, LIMIT)
    assert f"{n_tokens:,} tokens" in refused.value.what


@pytest.mark.parametrize("token", [-1, N_VOCAB])
def test_a_foreign_id_is_a_mistake_of_the_caller(token: int) -> None:
    with pytest.raises(ValueError, match="vocabulary"):
        check_request(CompletionRequest(tokens=(1, token)), LIMIT, N_VOCAB)


@pytest.mark.parametrize(("asked", "given"), [(None, 1), (5, 1), (1, 1), (0, 0)])
def test_max_tokens_is_what_the_context_has_room_for(asked: int | None, given: int) -> None:
    assert check(99, SamplingParams(max_tokens=asked)).sampling.max_tokens == given


def test_a_seed_is_kept_or_drawn() -> None:
    assert check(1, SamplingParams(seed=7)).sampling.seed == 7
    assert check(1, SamplingParams(seed=2**32 + 7)).sampling.seed == 7
    drawn = {check(1).sampling.seed for _ in range(8)}
    assert len(drawn) > 1


@pytest.mark.parametrize(
    "sampling",
    [
        SamplingParams(temperature=-0.1),
        SamplingParams(temperature=math.nan),
        SamplingParams(temperature=math.inf),
        SamplingParams(top_p=1.1),
        SamplingParams(min_p=-0.1),
        SamplingParams(top_k=-1),
        SamplingParams(repeat_penalty=0),
        SamplingParams(presence_penalty=math.nan),
        SamplingParams(frequency_penalty=1000),
        SamplingParams(repeat_last_n_tokens=-1),
        SamplingParams(max_tokens=-1),
    ],
)
def test_impossible_sampling_is_refused_by_name(sampling: SamplingParams) -> None:
    with pytest.raises(SamplingInvalid) as refused:
        check(1, sampling)
    name = refused.value.name
    assert refused.value.value == str(getattr(sampling, name))
    assert sampling != replace(sampling, **{name: getattr(DEFAULTS, name)})
