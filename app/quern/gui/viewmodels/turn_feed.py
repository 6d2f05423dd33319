"""The replies being written, in every chat: what each has so far, how fast they come, and how they end."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from quern.gui.bridge import Bridge

if TYPE_CHECKING:
    from quern.base import QuernError
    from quern.chat import Message
    from quern.runtime import Turn

    from .live_turn import LiveTurn

SPEED_WINDOW_S = 2.0
SPEED_INTERVAL_MS = 500


class TurnFeed(QObject):
    """Owns the running turns by conversation id. All signals carry the conversation id first.

    `started` (TurnStarted), `grew` (message id, content, reasoning), `prompt_advanced` (LiveTurn), `ended` (reply or
    None, error or None), `save_failed` (error), `save_recovered`. `speed_changed` carries tokens/s, None when idle.
    """

    started = Signal(int, object)
    grew = Signal(int, int, str, str)
    prompt_advanced = Signal(int, object)
    ended = Signal(int, object, object)
    save_failed = Signal(int, object)
    save_recovered = Signal(int)
    speed_changed = Signal(object)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._live: dict[int, LiveTurn] = {}
        self._arrivals: deque[tuple[float, int]] = deque()
        self._speedometer = QTimer(self)
        self._speedometer.setInterval(SPEED_INTERVAL_MS)
        self._speedometer.timeout.connect(self._measure)

    def follow(self, turn: Turn) -> None:
        """Follow `turn` to its end."""
        from .live_turn import LiveTurn

        live = LiveTurn(turn, self)
        self._live[turn.conversation_id] = live
        live.stop_listening = self._bridge.listen(turn.events, live.take)
        self._speedometer.start()

    def live(self, conversation_id: int | None) -> LiveTurn | None:
        """The running turn of a conversation, or None."""
        return None if conversation_id is None else self._live.get(conversation_id)

    @property
    def running_ids(self) -> frozenset[int]:
        """The conversations that are being answered."""
        return frozenset(self._live)

    def close(self) -> None:
        """Hear no more of the running turns; they end by themselves."""
        self._speedometer.stop()
        for live in self._live.values():
            if live.stop_listening is not None:
                live.stop_listening()

    def tell_growth(self, live: LiveTurn, n_pieces: int, content: str, reasoning: str) -> None:
        """The reply of `live` got longer by `n_pieces` pieces, which are about as many tokens."""
        assert live.reply is not None
        self._arrivals.append((time.monotonic(), n_pieces))
        self.grew.emit(live.turn.conversation_id, live.reply.id, content, reasoning)

    def tell_end(self, live: LiveTurn, reply: Message | None, error: QuernError | None) -> None:
        """`live` has ended."""
        conversation_id = live.turn.conversation_id
        if self._live.get(conversation_id) is live:
            del self._live[conversation_id]
        if not self._live:
            self._speedometer.stop()
            self._arrivals.clear()
            self.speed_changed.emit(None)
        self.ended.emit(conversation_id, reply, error)

    def _measure(self) -> None:
        now = time.monotonic()
        while self._arrivals and self._arrivals[0][0] < now - SPEED_WINDOW_S:
            self._arrivals.popleft()
        if self._arrivals:
            elapsed = max(0.25, now - self._arrivals[0][0])
            self.speed_changed.emit(sum(count for _, count in self._arrivals) / elapsed)
