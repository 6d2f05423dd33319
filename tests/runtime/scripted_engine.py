"""An engine, a renderer and trials without a model: replies and proofs come from a script, one token a word."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from quern.base import CancelToken, QuernError
from quern.chat import ChatMessage, ChatTemplate, LeadingBos, TemplateRenderer
from quern.engine import CompletionRequest, EngineFacts
from quern.runtime import Proof, Trials
from quern.spec import (
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    LoadSettings,
    PieceKind,
    PromptProcessed,
    TextPiece,
    TextProduced,
    Timings,
    Usage,
)

FACTS = EngineFacts(
    n_ctx_cells=64,
    n_ctx_train=64,
    request_limit_tokens=64,
    n_vocab=100,
    device_names=("CPU",),
    settings=LoadSettings(),
    control_texts=frozenset(),
    bos_text="",
    eos_text="",
    adds_bos=False,
    model_size_bytes=1,
    memory_bytes=1,
)


class ScriptedEvents:
    """The events of one scripted reply; after `cancel` it ends as CANCELLED at the next piece."""

    def __init__(self, pieces: Sequence[str], end: FinishReason | QuernError, n_prompt_tokens: int) -> None:
        self._pieces = pieces
        self._end = end
        self._n_prompt_tokens = n_prompt_tokens
        self._is_cancelled = False

    def cancel(self) -> None:
        self._is_cancelled = True

    def __iter__(self) -> Iterator[GenerationEvent]:
        yield PromptProcessed(self._n_prompt_tokens, self._n_prompt_tokens)
        n_said = 0
        for piece in self._pieces:
            if self._is_cancelled:
                yield self._finished(FinishReason.CANCELLED, n_said)
                return
            n_said += 1
            yield TextProduced(piece, n_said)
        if isinstance(self._end, QuernError):
            yield GenerationFailed(self._end)
        else:
            yield self._finished(self._end, n_said)

    def _finished(self, reason: FinishReason, n_tokens: int) -> GenerationFinished:
        usage = Usage(prompt_tokens=self._n_prompt_tokens, cached_tokens=0, completion_tokens=n_tokens)
        timings = Timings(ttft_ms=12.3456, prompt_tokens_per_s=100.0, decode_tokens_per_s=50.0)
        return GenerationFinished(reason, usage, timings)


class ScriptedEngine:
    """Answers with the scripted replies in turn; keeps the requests. A token is a word."""

    def __init__(self, *replies: Sequence[str], end: FinishReason | QuernError = FinishReason.STOP) -> None:
        self.facts = FACTS
        self.requests: list[CompletionRequest] = []
        self._replies = iter(replies)
        self._end = end

    def tokenize(self, pieces: Sequence[TextPiece]) -> list[int]:
        return list(range(len(" ".join(piece.text for piece in pieces).split())))

    def submit(self, request: CompletionRequest) -> ScriptedEvents:
        self.requests.append(request)
        return ScriptedEvents(next(self._replies), self._end, len(request.tokens))


class JoiningRenderer(TemplateRenderer):
    """Writes "role: content" lines, and keeps what it was given; starts no worker. `opening` ends the prompt."""

    def __init__(self, opening: str = "") -> None:
        super().__init__()
        self.seen: list[tuple[ChatMessage, ...]] = []
        self._opening = opening

    def render(
        self,
        template: ChatTemplate,  # noqa: ARG002
        messages: Sequence[ChatMessage],
        *,
        control_texts: frozenset[str],  # noqa: ARG002
        bos_text: str,  # noqa: ARG002
        eos_text: str,  # noqa: ARG002
        now: datetime,  # noqa: ARG002
        leading_bos: LeadingBos = LeadingBos.STRIPPED,  # noqa: ARG002
    ) -> tuple[TextPiece, ...]:
        self.seen.append(tuple(messages))
        lines = "\n".join(f"{message.role}: {message.content}" for message in messages)
        return (TextPiece(lines, PieceKind.PLAIN), TextPiece(self._opening, PieceKind.CONTROL))


class ScriptedTrials(Trials):
    """Answers every proof with `outcome`; counts how often it was asked."""

    def __init__(self, outcome: Proof | QuernError) -> None:
        super().__init__(None)
        self._outcome = outcome
        self.n_asked = 0

    def prove(
        self,
        path: Path,  # noqa: ARG002
        content_id: str,  # noqa: ARG002
        settings: LoadSettings,  # noqa: ARG002
        cancel: CancelToken | None = None,  # noqa: ARG002
        *,
        needed_bytes: int | None = None,  # noqa: ARG002
    ) -> Proof:
        self.n_asked += 1
        if isinstance(self._outcome, QuernError):
            raise self._outcome
        return self._outcome
