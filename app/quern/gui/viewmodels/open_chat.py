"""The chat that is shown: its messages on the shown branch, kept in step with the store and the running turn."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from quern.base import QuernError
from quern.gui.bridge import Bridge

from .failure import Fix, failure_of
from .turn_feed import TurnFeed

if TYPE_CHECKING:
    from quern.chat import Conversation, ConversationStore, DeletedMessages, Message
    from quern.runtime import Turn, TurnStarted

Result = TypeVar("Result")

STOP_TIMEOUT_S = 3.0


class OpenChat(QObject):
    """Owns the shown conversation (`conversation` None: a chat that has not begun) and its branch.

    `opened` (message id to scroll to, or 0) replaces everything; `truncated` (id) drops that message and all after
    it; `added` and `replaced` carry a Message; `grew` (id, content, reasoning) a reply's new text; `options_changed`
    the conversation's own settings, `adopted` (id) a new chat's first message; `messages_deleted` what Undo needs.
    `left` (id before, id wanted) says that another chat was asked for, which `opened` follows when it is read.
    """

    left = Signal(object, object)
    opened = Signal(int)
    adopted = Signal(int)
    truncated = Signal(int)
    added = Signal(object)
    replaced = Signal(object)
    grew = Signal(int, str, str)
    options_changed = Signal()
    messages_deleted = Signal(object)
    failed = Signal(object)

    def __init__(self, bridge: Bridge, feed: TurnFeed) -> None:
        super().__init__()
        self._bridge = bridge
        self._feed = feed
        self._store: ConversationStore | None = None
        # Grows with every switch; answers of the store that belong to an earlier one are dropped.
        self._epoch = 0
        # The chat that was asked for last: what a person types belongs there, also before it is read.
        self.wanted_id: int | None = None
        self.conversation: Conversation | None = None
        self.messages: tuple[Message, ...] = ()
        feed.started.connect(self._on_started)
        feed.grew.connect(self._on_grew)
        feed.ended.connect(self._on_ended)

    def open(self, store: ConversationStore) -> None:
        """Use `store` from now on."""
        self._store = store

    @property
    def id(self) -> int | None:
        """The shown conversation's id, None for a chat that has not begun."""
        return None if self.conversation is None else self.conversation.id

    @property
    def is_opening(self) -> bool:
        """Whether another chat than the shown one was asked for and is not read yet."""
        return self.wanted_id != self.id

    @property
    def is_running(self) -> bool:
        """Whether the shown chat is being answered."""
        return self._feed.live(self.id) is not None

    @property
    def last_reply(self) -> Message | None:
        """The last message that has figures, or None."""
        return next((message for message in reversed(self.messages) if message.figures is not None), None)

    def show(self, conversation_id: int | None, message_id: int = 0) -> None:
        """Show another conversation, or a new chat; `message_id` is scrolled to."""
        self._epoch += 1
        store = self._store
        if conversation_id is None or conversation_id != self.wanted_id:
            self._want(conversation_id)
        if conversation_id is None or store is None:
            self._take((None, ()), self._epoch, message_id)
            return
        self._read(conversation_id, store, message_id)

    def adopt(self, conversation: Conversation) -> None:
        """The new chat has become `conversation`: nothing else changes on the screen."""
        self._epoch += 1
        self.conversation, self.wanted_id = conversation, conversation.id
        self.adopted.emit(conversation.id)
        self.options_changed.emit()

    def reload(self, message_id: int = 0) -> None:
        """Read the shown conversation again."""
        if self.id is not None:
            self.show(self.id, message_id)

    def refresh_options(self, conversation_id: int) -> None:
        """Read that conversation's own settings again and, if it is still shown then, take them."""
        store = self._store
        if store is None:
            return

        def take(conversation: Conversation) -> None:
            if conversation.id == self.id:
                self.conversation = conversation
                self.options_changed.emit()

        self._bridge.store(lambda: store.get(conversation_id), take, self._fail)

    def select_sibling(self, message_id: int, step: int) -> None:
        """Show the branch of the sibling `step` places after a message (negative: before it)."""
        store, conversation_id = self._store, self.id
        if store is None or conversation_id is None:
            return

        def work() -> int:
            siblings = store.siblings(message_id)
            place = siblings.index(message_id) + step
            chosen = siblings[max(0, min(place, len(siblings) - 1))]
            store.select(chosen)
            return chosen

        self._change(work, self.reload)

    def delete_message(self, message_id: int) -> None:
        """Delete a message and what follows it; a reply that is being written is stopped first."""
        store = self._store
        live, epoch = self._feed.live(self.id), self._epoch
        if store is None:
            return

        def work() -> DeletedMessages:
            if live is not None:
                _stop(live.turn)
            return store.delete_message(message_id)

        def done(deleted: DeletedMessages) -> None:
            if epoch == self._epoch:
                self.reload()
            self.messages_deleted.emit(deleted)

        self._bridge.store(work, done, self._fail)

    def undelete(self, deleted: DeletedMessages) -> None:
        """Bring deleted messages back and show their chat."""
        store = self._store
        if store is not None:
            self._change(lambda: store.undelete(deleted), partial(self._show_again, deleted))

    def _show_again(self, deleted: DeletedMessages, _result: None) -> None:
        self.show(deleted.conversation_id)

    def _change(self, work: Callable[[], Result], done: Callable[[Result], None]) -> None:
        """Run `work`; `done` follows only while the same chat is shown."""
        epoch = self._epoch
        self._bridge.store(work, lambda result: done(result) if epoch == self._epoch else None, self._fail)

    def _read(self, conversation_id: int, store: ConversationStore, message_id: int) -> None:
        epoch = self._epoch

        def work() -> tuple[Conversation, tuple[Message, ...]]:
            return store.get(conversation_id), store.path(conversation_id)

        self._bridge.store(
            work, lambda found: self._take(found, epoch, message_id), lambda error: self._stay(error, epoch)
        )

    def _want(self, conversation_id: int | None) -> None:
        before, self.wanted_id = self.wanted_id, conversation_id
        self.left.emit(before, conversation_id)

    def _stay(self, error: QuernError, epoch: int) -> None:
        """The chat that was asked for cannot be read: the shown one stays."""
        if epoch == self._epoch and self.is_opening:
            self._want(self.id)
            self.opened.emit(0)
        self._fail(error)

    def _take(self, found: tuple[Conversation | None, tuple[Message, ...]], epoch: int, message_id: int) -> None:
        if epoch == self._epoch:
            self.conversation, messages = found
            self.wanted_id = self.id
            self.messages = tuple(self._as_live(message) for message in messages)
            self.options_changed.emit()
            self.opened.emit(message_id)

    def _as_live(self, message: Message) -> Message:
        """Return `message` with all of its text: the store may be a second behind a reply that is being written."""
        live = self._feed.live(message.conversation_id)
        if live is None or live.reply is None or live.reply.id != message.id:
            return message
        return replace(message, content="".join(live.content), reasoning="".join(live.reasoning))

    def _on_started(self, conversation_id: int, event: TurnStarted) -> None:
        if conversation_id == self.id:
            for message in (event.user, event.reply):
                if message is not None:
                    self._place(message)

    def _place(self, message: Message) -> None:
        """Put `message` under its parent; what followed the parent there leaves the screen."""
        ids = [shown.id for shown in self.messages]
        if message.id in ids:
            self.replaced.emit(message)
            return
        end = ids.index(message.parent_id) + 1 if message.parent_id in ids else 0
        if end < len(ids):
            self.messages = self.messages[:end]
            self.truncated.emit(ids[end])
        self.messages = (*self.messages, message)
        self.added.emit(message)

    def _on_grew(self, conversation_id: int, message_id: int, content: str, reasoning: str) -> None:
        if conversation_id == self.id and self._shows(message_id):
            self.grew.emit(message_id, content, reasoning)

    def _on_ended(self, conversation_id: int, reply: Message | None, _error: QuernError | None) -> None:
        if conversation_id == self.id and reply is None and not self.is_opening:
            # What was stored, if anything, was taken back.
            self.reload()
        elif conversation_id == self.id and reply is not None and self._shows(reply.id):
            self.messages = tuple(reply if message.id == reply.id else message for message in self.messages)
            self.replaced.emit(reply)

    def _shows(self, message_id: int) -> bool:
        return any(message.id == message_id for message in reversed(self.messages))

    def _fail(self, error: QuernError) -> None:
        self.failed.emit(failure_of(error, Fix.NEW_CHAT))


def _stop(turn: Turn) -> None:
    """Stop `turn` and wait until it has stored what it had; how it ended is told by its events."""
    turn.cancel()
    with suppress(QuernError, TimeoutError):
        turn.wait(STOP_TIMEOUT_S)
