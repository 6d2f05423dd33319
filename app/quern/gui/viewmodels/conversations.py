"""The list of conversations: reading, searching, naming, pinning, and deletion that can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quern.gui.bridge import Bridge

from .failure import Fix, failure_of

if TYPE_CHECKING:
    from quern.base import QuernError
    from quern.chat import ConversationStore, ConversationSummary, SearchHit

SEARCH_LIMIT = 100


class Conversations(QObject):
    """Owns the list as last read. `changed` when summaries or hits did; `deleted` carries a summary to offer Undo for.

    `store` is given once storage is open; verbs before that do nothing.
    """

    changed = Signal()
    deleted = Signal(object)
    restored = Signal(int)
    failed = Signal(object)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._store: ConversationStore | None = None
        self.summaries: tuple[ConversationSummary, ...] = ()
        self.hits: tuple[SearchHit, ...] = ()
        self.query = ""
        self.is_searching = False

    def open(self, store: ConversationStore) -> None:
        """Use `store` from now on and read the list."""
        self._store = store
        self.refresh()

    def find(self, conversation_id: int) -> ConversationSummary | None:
        """Return the summary of a conversation, or None."""
        return next((summary for summary in self.summaries if summary.id == conversation_id), None)

    def refresh(self) -> None:
        """Read the list again, and repeat the search."""
        store = self._store
        if store is not None:
            self._bridge.store(store.conversations, self._take, self._fail)
            if self.query:
                self.search(self.query)

    def search(self, text: str) -> None:
        """Search all chats for `text`; "" ends the search."""
        store = self._store
        self.query, self.is_searching = text, bool(text) and store is not None
        if store is None or not text:
            self.hits = ()
            self.changed.emit()
            return
        self._bridge.store(
            lambda: store.search(text, SEARCH_LIMIT), lambda hits: self._take_hits(text, hits), self._fail_search
        )

    def rename(self, conversation_id: int, title: str) -> None:
        """Give a conversation another title."""
        store = self._store
        if store is not None:
            self._bridge.store(lambda: store.rename(conversation_id, title), self._refresh_after, self._fail)

    def toggle_pin(self, conversation_id: int) -> None:
        """Pin a conversation, or unpin it."""
        store = self._store
        if store is None:
            return

        def work() -> None:
            change = store.unpin if store.get(conversation_id).summary.pinned else store.pin
            change(conversation_id)

        self._bridge.store(work, self._refresh_after, self._fail)

    def delete(self, conversation_id: int) -> None:
        """Put a conversation in the trash, also one so new that the list does not show it yet."""
        store = self._store
        if store is None:
            return

        def work() -> ConversationSummary:
            summary = store.get(conversation_id).summary
            store.trash(conversation_id)
            return summary

        def done(summary: ConversationSummary) -> None:
            self.refresh()
            self.deleted.emit(summary)

        self._bridge.store(work, done, self._fail)

    def restore(self, conversation_id: int) -> None:
        """Take a conversation out of the trash again."""
        store = self._store
        if store is None:
            return

        def done(_result: None) -> None:
            self.refresh()
            self.restored.emit(conversation_id)

        self._bridge.store(lambda: store.restore(conversation_id), done, self._fail)

    def _take(self, summaries: tuple[ConversationSummary, ...]) -> None:
        self.summaries = summaries
        self.changed.emit()

    def _take_hits(self, text: str, hits: tuple[SearchHit, ...]) -> None:
        if text == self.query:
            self.hits, self.is_searching = hits, False
            self.changed.emit()

    def _fail_search(self, error: QuernError) -> None:
        self.is_searching = False
        self._fail(error)

    def _refresh_after(self, _result: None) -> None:
        self.refresh()

    def _fail(self, error: QuernError) -> None:
        self.failed.emit(failure_of(error, Fix.RETRY))
