"""What a generation says while it runs: events, counts and timings."""

from dataclasses import dataclass
from enum import StrEnum

from quern.base import QuernError


class FinishReason(StrEnum):
    """Why a generation ended, by the OpenAI API's names where it has one."""

    STOP = "stop"
    LENGTH = "length"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one request; `cached_tokens` of the prompt were found in the KV cache and not computed again."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Speed of one request: time to first token in ms, prompt processing and decode in tokens/s (0 where none ran)."""

    ttft_ms: float
    prompt_tokens_per_s: float
    decode_tokens_per_s: float


@dataclass(frozen=True, slots=True)
class PromptProcessed:
    """`n_done` of `n_total` prompt tokens are in the KV cache."""

    n_done: int
    n_total: int


@dataclass(frozen=True, slots=True)
class TextProduced:
    """More reply text: whole characters only; `n_tokens` tokens of the reply are done so far."""

    text: str
    n_tokens: int


@dataclass(frozen=True, slots=True)
class GenerationFinished:
    """The last event of a generation that ended by itself, by a limit or by cancel."""

    reason: FinishReason
    usage: Usage
    timings: Timings


@dataclass(frozen=True, slots=True)
class GenerationFailed:
    """The last event of a generation that could not go on."""

    error: QuernError


GenerationEvent = PromptProcessed | TextProduced | GenerationFinished | GenerationFailed
