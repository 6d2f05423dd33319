"""Saves a growing reply about once a second, apart from the thread that reads the engine, until it is stored whole."""

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread

from quern.base import Publisher
from quern.chat import ConversationStore, MessageGone, ReplyText
from quern.runtime.failure import as_quern_error

from .turn_event import SaveFailed, SaveRecovered, TurnEvent

logger = logging.getLogger(__name__)

# With the time that a transaction takes, this keeps what a killed process loses under a second.
SAVE_INTERVAL_S = 0.8


class ReplySaver:
    """Owns the way of one reply's text to the store.

    While the reply streams, `read` is asked for its text every SAVE_INTERVAL_S, and what changed is stored. A store
    that fails (disk full, busy) is said once by SaveFailed and tried again until it takes the text (SaveRecovered),
    also after `finish`. `gone` is called when the message was deleted meanwhile; nothing is saved from then on.
    """

    def __init__(
        self,
        store: ConversationStore,
        message_id: int,
        events: Publisher[TurnEvent],
        read: Callable[[], ReplyText],
        gone: Callable[[], None],
    ) -> None:
        self._store = store
        self._message_id = message_id
        self._events = events
        self._read = read
        self._gone = gone
        self._saving = Lock()
        self._saved: ReplyText | None = None
        self._last: ReplyText | None = None
        self._has_failed = False
        self._is_over = Event()
        self._thread = Thread(target=self._save_regularly, name="quern-reply-saver", daemon=True)

    @property
    def is_saved(self) -> bool:
        """Whether nothing is left to store: the whole reply is there, or its message was deleted."""
        return self._is_over.is_set()

    def start(self) -> None:
        """Begin to save in the background."""
        self._thread.start()

    def finish(self, text: ReplyText) -> None:
        """Store the reply's last text, now if that is possible; otherwise the background goes on trying."""
        self._last = text
        self._try_to_save()

    def flush(self) -> None:
        """Store what is still waiting. Raises what the store raises when it still cannot."""
        with self._saving:
            self._save()

    def abandon(self) -> None:
        """Save nothing more: the message was taken back."""
        self._is_over.set()

    def stop(self) -> None:
        """Try once more, then give up: the program ends."""
        self._try_to_save()
        self._is_over.set()
        self._thread.join()

    def _save_regularly(self) -> None:
        while not self._is_over.wait(SAVE_INTERVAL_S):
            self._try_to_save()

    def _try_to_save(self) -> None:
        with self._saving:
            try:
                self._save()
            except Exception as error:
                cause = as_quern_error(error)
                logger.info("reply %d not saved: %s", self._message_id, cause)
                if not self._has_failed:
                    self._has_failed = True
                    self._events.publish(SaveFailed(cause))

    def _save(self) -> None:
        if self._is_over.is_set():
            return
        last = self._last
        text = last or self._read()
        if text != self._saved:
            try:
                self._store.save_reply(
                    self._message_id, text.content, text.reasoning, text.reasoning_ms, text.state, text.figures
                )
            except MessageGone:
                self._is_over.set()
                self._gone()
                return
        self._saved = text
        if self._has_failed:
            self._has_failed = False
            self._events.publish(SaveRecovered())
        if last is not None:
            self._is_over.set()
