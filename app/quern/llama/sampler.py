"""How llama.cpp picks the next token: one chain of samplers a request."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from quern.spec import SamplingParams

from .binding import keeping_gil, lib
from .context import Context

_sample = keeping_gil(lib.llama_sampler_sample)
_accept = keeping_gil(lib.llama_sampler_accept)


class SamplerChain:
    """Owns a llama_sampler chain in llama.cpp's own order: penalties, top-k, top-p, min-p, temperature, choice.

    It always ends with a sampler that selects: llama.cpp aborts on a chain that does not. `params` are checked by
    the caller (`quern.engine`); `seed` is 32 bits.
    """

    def __init__(self, params: SamplingParams, seed: int, n_vocab: int) -> None:
        chain_params = lib.llama_sampler_chain_default_params()
        chain_params.no_perf = True
        self._handle: lib.llama_sampler_p | None = lib.llama_sampler_chain_init(chain_params)
        self.remembers = _has_penalties(params)
        if self.remembers:
            self._add(
                lib.llama_sampler_init_penalties(
                    n_vocab,
                    params.repeat_last_n_tokens,
                    params.repeat_penalty,
                    params.frequency_penalty,
                    params.presence_penalty,
                )
            )
        if params.temperature <= 0:
            self._add(lib.llama_sampler_init_greedy())
            return
        if params.top_k > 0:
            self._add(lib.llama_sampler_init_top_k(params.top_k))
        if params.top_p < 1:
            self._add(lib.llama_sampler_init_top_p(params.top_p, 1))
        if params.min_p > 0:
            self._add(lib.llama_sampler_init_min_p(params.min_p, 1))
        self._add(lib.llama_sampler_init_temp(params.temperature))
        self._add(lib.llama_sampler_init_dist(seed))

    @property
    def handle(self) -> lib.llama_sampler_p:
        """The open chain; ValueError once closed."""
        if self._handle is None:
            raise ValueError("the sampler chain is closed")
        return self._handle

    def accept(self, token: int) -> None:
        """Let the penalties know of a token that was not sampled here (the prompt's)."""
        _accept(self.handle, token)

    def sample(self, context: Context) -> int:
        """Pick and accept a token from the logits of the context's last decode."""
        context.check_logits()
        return _sample(self.handle, context.handle, -1)

    def close(self) -> None:
        """Free the chain and its samplers; idempotent."""
        handle, self._handle = self._handle, None
        if handle is not None:
            lib.llama_sampler_free(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _add(self, sampler: lib.llama_sampler_p) -> None:
        lib.llama_sampler_chain_add(self.handle, sampler)


def _has_penalties(params: SamplingParams) -> bool:
    asked = params.repeat_penalty != 1 or params.presence_penalty != 0 or params.frequency_penalty != 0
    return asked and params.repeat_last_n_tokens > 0
