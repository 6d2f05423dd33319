"""The books of one running completion: counts, times, text."""

from dataclasses import dataclass, field
from time import perf_counter

from quern.spec import FinishReason, GenerationFinished, Timings, Usage

from .reply_text import ReplyText
from .request import CompletionRequest


@dataclass(slots=True, kw_only=True)
class Run:
    """Counts tokens and seconds of one completion, from submit (`submitted_s`, perf_counter) to its end."""

    request: CompletionRequest
    submitted_s: float
    started_s: float = field(default_factory=perf_counter)
    n_cached: int = 0
    n_produced: int = 0
    prompt_done_s: float = 0.0
    first_token_s: float = 0.0
    last_token_s: float = 0.0
    text: ReplyText = field(init=False)

    def __post_init__(self) -> None:
        self.text = ReplyText(self.request.sampling.stop)

    @property
    def is_full(self) -> bool:
        """Whether the reply has as many tokens as it may (the request was checked: max_tokens is set)."""
        return self.n_produced >= (self.request.sampling.max_tokens or 0)

    def count_token(self) -> None:
        """Take in that one more token of reply was sampled."""
        self.n_produced += 1
        self.last_token_s = perf_counter()
        if self.n_produced == 1:
            self.first_token_s = self.last_token_s

    def finished(self, reason: FinishReason) -> GenerationFinished:
        """The last event."""
        return GenerationFinished(reason, self.usage, self.timings)

    @property
    def usage(self) -> Usage:
        """Tokens so far."""
        return Usage(
            prompt_tokens=len(self.request.tokens), cached_tokens=self.n_cached, completion_tokens=self.n_produced
        )

    @property
    def timings(self) -> Timings:
        """Speeds so far; 0 where nothing ran."""
        n_computed = len(self.request.tokens) - self.n_cached
        return Timings(
            ttft_ms=max(0.0, self.first_token_s - self.submitted_s) * 1000,
            prompt_tokens_per_s=_per_s(n_computed, self.prompt_done_s - self.started_s),
            decode_tokens_per_s=_per_s(self.n_produced - 1, self.last_token_s - self.first_token_s),
        )


def _per_s(count: int, seconds: float) -> float:
    return count / seconds if count > 0 and seconds > 0 else 0.0
