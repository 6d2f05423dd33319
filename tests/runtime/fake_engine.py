"""An engine that says what a test tells it, one character a token, and can be held at any point."""

from collections.abc import Iterator, Sequence
from threading import Event

from quern.base import QuernError
from quern.engine import CompletionRequest, EngineFacts
from quern.spec import (
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    LoadSettings,
    PromptProcessed,
    TextPiece,
    TextProduced,
    Timings,
    Usage,
)


def facts(limit_tokens: int = 4096) -> EngineFacts:
    """Return the facts of a small ChatML model."""
    return EngineFacts(
        n_ctx_cells=limit_tokens,
        n_ctx_train=limit_tokens,
        request_limit_tokens=limit_tokens,
        n_vocab=100,
        device_names=("CPU",),
        settings=LoadSettings(),
        control_texts=frozenset({"<|im_start|>", "<|im_end|>"}),
        bos_text="<|im_start|>",
        eos_text="<|im_end|>",
        adds_bos=False,
        model_size_bytes=1,
        memory_bytes=1,
    )


class FakeGeneration:
    """Yields a prompt event, the pieces, then its end; waits at the gate before piece `hold_at`."""

    def __init__(self, engine: "FakeEngine", n_prompt_tokens: int) -> None:
        self._pieces = engine.pieces
        self._hold_at = engine.hold_at
        self._gate = engine.gate
        self._failure = engine.failure
        self._n_prompt_tokens = n_prompt_tokens
        self._cancelled = Event()

    def cancel(self) -> None:
        """Stop, also while held."""
        self._cancelled.set()
        self._gate.set()

    def __iter__(self) -> Iterator[GenerationEvent]:
        yield PromptProcessed(self._n_prompt_tokens, self._n_prompt_tokens)
        done = 0
        for number, piece in enumerate(self._pieces, 1):
            if number - 1 == self._hold_at:
                self._gate.wait()
            if self._cancelled.is_set():
                break
            yield TextProduced(piece, number)
            done = number
        if self._failure is not None:
            yield GenerationFailed(self._failure)
            return
        reason = FinishReason.CANCELLED if self._cancelled.is_set() else FinishReason.STOP
        usage = Usage(prompt_tokens=self._n_prompt_tokens, cached_tokens=0, completion_tokens=done)
        timings = Timings(ttft_ms=1.0, prompt_tokens_per_s=2.0, decode_tokens_per_s=3.0)
        yield GenerationFinished(reason, usage, timings)


class FakeEngine:
    """Answers every request with `pieces`; keeps the requests and the prompts' text.

    With `hold_at` a generation waits before that piece until `gate` is set.
    """

    def __init__(
        self, *pieces: str, limit_tokens: int = 4096, failure: QuernError | None = None, hold_at: int | None = None
    ) -> None:
        self.facts = facts(limit_tokens)
        self.pieces = pieces
        self.failure = failure
        self.hold_at = hold_at
        self.gate = Event()
        self.requests: list[CompletionRequest] = []
        self.prompts: list[str] = []

    def tokenize(self, pieces: Sequence[TextPiece]) -> list[int]:
        """One token a character."""
        self.prompts.append("".join(piece.text for piece in pieces))
        return [ord(character) for character in self.prompts[-1]]

    def submit(self, request: CompletionRequest) -> FakeGeneration:
        """Start the scripted answer."""
        self.requests.append(request)
        return FakeGeneration(self, len(request.tokens))
