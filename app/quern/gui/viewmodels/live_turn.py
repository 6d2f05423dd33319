"""One running turn: the reply's text so far, and what its events mean for those who follow it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from quern.runtime import (
    PromptAdvanced,
    ReplyGrew,
    SaveFailed,
    SaveRecovered,
    TurnEnded,
    TurnEvent,
    TurnFailed,
    TurnStarted,
)

if TYPE_CHECKING:
    from quern.base import QuernError
    from quern.chat import Message
    from quern.runtime import Turn

    from .turn_feed import TurnFeed


class LiveTurn:
    """Owns what is known of a turn between two batches; `reply` is None until both messages are stored."""

    def __init__(self, turn: Turn, feed: TurnFeed) -> None:
        self.turn = turn
        self._feed = feed
        self.reply: Message | None = None
        self.content: list[str] = []
        self.reasoning: list[str] = []
        self.n_prompt_done = 0
        self.n_prompt_total = 0
        self.stop_listening: Callable[[], None] | None = None

    @property
    def has_text(self) -> bool:
        """Whether the first text has come."""
        return bool(self.content or self.reasoning)

    def take(self, events: tuple[TurnEvent, ...]) -> None:
        """Tell the feed what a batch of events means; the texts of one batch are told as one."""
        content: list[str] = []
        reasoning: list[str] = []
        for event in events:
            if isinstance(event, ReplyGrew):
                content.append(event.content_delta)
                reasoning.append(event.reasoning_delta)
            else:
                self._grow(content, reasoning)
                self._handle(event)
        self._grow(content, reasoning)

    def _grow(self, content: list[str], reasoning: list[str]) -> None:
        if not content or self.reply is None:
            return
        n_pieces, more, thought = len(content), "".join(content), "".join(reasoning)
        self.content += [more] if more else []
        self.reasoning += [thought] if thought else []
        content.clear()
        reasoning.clear()
        self._feed.tell_growth(self, n_pieces, more, thought)

    def _handle(self, event: TurnEvent) -> None:
        feed, conversation_id = self._feed, self.turn.conversation_id
        match event:
            case TurnStarted():
                self.reply = event.reply
                feed.started.emit(conversation_id, event)
            case PromptAdvanced(n_done, n_total):
                self.n_prompt_done, self.n_prompt_total = n_done, n_total
                feed.prompt_advanced.emit(conversation_id, self)
            case SaveFailed(error):
                feed.save_failed.emit(conversation_id, error)
            case SaveRecovered():
                feed.save_recovered.emit(conversation_id)
            case TurnEnded(reply):
                self._end(reply, None)
            case TurnFailed(error, reply):
                self._end(reply, error)
            case ReplyGrew():
                raise AssertionError(event)

    def _end(self, reply: Message | None, error: QuernError | None) -> None:
        self._feed.tell_end(self, reply, error)
