"""How the next token is chosen."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingParams:
    """Sampling parameters of one request, named as the field names them.

    `temperature` 0 is greedy. `top_k` 0, `top_p` 1 and `min_p` 0 are off. `repeat_penalty` 1, `presence_penalty` 0
    and `frequency_penalty` 0 are off; penalties look back over `repeat_last_n_tokens`. `seed` None draws one.
    `max_tokens` None means as many as the context holds. Generation stops before any string of `stop`.
    """

    temperature: float = 0.8
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    repeat_penalty: float = 1.0
    repeat_last_n_tokens: int = 64
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
