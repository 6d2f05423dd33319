"""What is asked of the engine, and whether it can be asked."""

import math
from dataclasses import dataclass, field, replace
from secrets import randbits

from quern.spec import SamplingParams

from .errors import PromptEmpty, PromptTooLong, SamplingInvalid

SEED_BITS = 32
MAX_LAST_N_TOKENS = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """Continue `tokens` (ids, BOS included where the model wants one: `Engine.tokenize` adds it) as `sampling` says."""

    tokens: tuple[int, ...]
    sampling: SamplingParams = field(default_factory=SamplingParams)


def check_request(request: CompletionRequest, limit_tokens: int, n_vocab: int) -> CompletionRequest:
    """Return the request with its seed drawn and its token limit filled in, ready for the engine thread.

    Raises PromptEmpty, PromptTooLong when `limit_tokens` leave no room for one token of reply, SamplingInvalid, and
    ValueError for an id that is not in the vocabulary.
    """
    n_prompt = len(request.tokens)
    if not n_prompt:
        raise PromptEmpty
    if n_prompt >= limit_tokens:
        raise PromptTooLong(n_prompt, limit_tokens)
    if min(request.tokens) < 0 or max(request.tokens) >= n_vocab:
        raise ValueError("a token of the prompt is not in the vocabulary")
    sampling = request.sampling
    check_sampling(sampling)
    room = limit_tokens - n_prompt
    seed = randbits(SEED_BITS) if sampling.seed is None else sampling.seed % (1 << SEED_BITS)
    max_tokens = room if sampling.max_tokens is None else min(room, sampling.max_tokens)
    return replace(request, sampling=replace(sampling, seed=seed, max_tokens=max_tokens))


def check_sampling(sampling: SamplingParams) -> None:
    """Raise SamplingInvalid for the first parameter that llama.cpp could not work with."""
    limits: tuple[tuple[str, float, float, float], ...] = (
        ("temperature", sampling.temperature, 0, 100),
        ("top_p", sampling.top_p, 0, 1),
        ("min_p", sampling.min_p, 0, 1),
        ("repeat_penalty", sampling.repeat_penalty, 0.01, 100),
        ("presence_penalty", sampling.presence_penalty, -100, 100),
        ("frequency_penalty", sampling.frequency_penalty, -100, 100),
        ("top_k", sampling.top_k, 0, math.inf),
        ("repeat_last_n_tokens", sampling.repeat_last_n_tokens, 0, MAX_LAST_N_TOKENS),
        ("max_tokens", sampling.max_tokens or 0, 0, math.inf),
    )
    for name, value, low, high in limits:
        if not low <= value <= high:  # NaN fails every comparison
            raise SamplingInvalid(name, str(value))
