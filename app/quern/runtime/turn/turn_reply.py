"""A reply while it is written: reasoning and content as they grow, and how long the reasoning took."""

import time
from collections.abc import Iterable
from dataclasses import replace
from threading import Lock

from quern.chat import Delta, DeltaKind, Figures, Message, MessageState, ReasoningSplitter, ReplyOpening, ReplyText

from .turn_event import ReplyGrew


class ReplyDraft:
    """Owns the growing text of one stored, still empty reply. Thread-safe: one thread writes, others take snapshots."""

    def __init__(self, message: Message) -> None:
        self._message = message
        self._splitter = ReasoningSplitter()
        self._lock = Lock()
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._reasoning_start: float | None = None
        self._reasoning_ms: int | None = None

    def open(self, opening: ReplyOpening) -> None:
        """Say how the reply begins; called before any text comes."""
        with self._lock:
            self._splitter = ReasoningSplitter(opening)

    def grow(self, text: str) -> ReplyGrew | None:
        """Add generated text; return what became visible, or None while a tag is undecided."""
        with self._lock:
            was_reasoning = self._splitter.is_reasoning
            deltas = self._splitter.feed(text)
            self._time_reasoning(was_reasoning or any(delta.kind is DeltaKind.REASONING for delta in deltas))
            return self._add(deltas)

    def finish(self) -> ReplyGrew | None:
        """End the text; return what had been held back, or None."""
        with self._lock:
            grown = self._add(self._splitter.finish())
            self._end_reasoning()
            return grown

    def text(self, state: MessageState, figures: Figures | None = None) -> ReplyText:
        """Return what the reply says now."""
        with self._lock:
            return ReplyText(
                content="".join(self._content),
                reasoning="".join(self._reasoning),
                reasoning_ms=self._reasoning_ms,
                state=state,
                figures=figures,
            )

    def message(self, text: ReplyText) -> Message:
        """Return the reply's message as it is with `text`."""
        return replace(
            self._message,
            content=text.content,
            reasoning=text.reasoning,
            reasoning_ms=text.reasoning_ms,
            state=text.state,
            figures=text.figures,
        )

    def _add(self, deltas: Iterable[Delta]) -> ReplyGrew | None:
        parts = tuple(deltas)
        content = "".join(delta.text for delta in parts if delta.kind is DeltaKind.CONTENT)
        reasoning = "".join(delta.text for delta in parts if delta.kind is DeltaKind.REASONING)
        if not content and not reasoning:
            return None
        self._content.append(content)
        self._reasoning.append(reasoning)
        return ReplyGrew(self._message.id, content, reasoning)

    def _time_reasoning(self, is_reasoning: bool) -> None:
        if is_reasoning and self._reasoning_start is None:
            self._reasoning_start = time.monotonic()
        if not self._splitter.is_reasoning:
            self._end_reasoning()

    def _end_reasoning(self) -> None:
        if self._reasoning_start is not None and self._reasoning_ms is None:
            self._reasoning_ms = round((time.monotonic() - self._reasoning_start) * 1000)
