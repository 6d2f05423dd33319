"""The last deletions, each of which can be undone: chats, messages, and models taken off the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from .conversations import Conversations
from .open_chat import OpenChat
from .shelf import Shelf

if TYPE_CHECKING:
    from quern.chat import ConversationSummary, DeletedMessages
    from quern.models import ModelEntry

KEPT = 20


class Deletions(QObject):
    """Owns what can be brought back, the last deletion first; `announced` carries a sentence about the newest.

    `undone` when one was brought back, by whatever button or key.
    """

    announced = Signal(str)
    undone = Signal()

    def __init__(self, conversations: Conversations, chat: OpenChat, shelf: Shelf) -> None:
        super().__init__()
        self._conversations = conversations
        self._chat = chat
        self._shelf = shelf
        self._taken: list[ConversationSummary | DeletedMessages | ModelEntry] = []
        conversations.deleted.connect(self._take_conversation)
        chat.messages_deleted.connect(self._take_messages)
        shelf.forgotten.connect(self._take_model)

    @property
    def can_undo(self) -> bool:
        """Whether anything can be brought back."""
        return bool(self._taken)

    def undo(self) -> None:
        """Bring the last deletion back."""
        from quern.chat import DeletedMessages
        from quern.models import ModelEntry

        if not self._taken:
            return
        taken = self._taken.pop()
        if isinstance(taken, DeletedMessages):
            self._chat.undelete(taken)
        elif isinstance(taken, ModelEntry):
            self._shelf.add(taken.path)
        else:
            self._conversations.restore(taken.id)
        self.undone.emit()

    def _take_conversation(self, summary: ConversationSummary) -> None:
        self._keep(summary)
        title = summary.title or self.tr("New chat")
        self.announced.emit(self.tr("“{0}” deleted").format(_shortened(title)))

    def _take_messages(self, deleted: DeletedMessages) -> None:
        self._keep(deleted)
        count = len(deleted.message_ids)
        self.announced.emit(self.tr("Message deleted") if count == 1 else self.tr("{0} messages deleted").format(count))

    def _take_model(self, entry: ModelEntry) -> None:
        self._keep(entry)
        self.announced.emit(self.tr("{0} removed from the list").format(_shortened(entry.name)))

    def _keep(self, taken: ConversationSummary | DeletedMessages | ModelEntry) -> None:
        self._taken = [*self._taken[-KEPT + 1 :], taken]


def _shortened(title: str) -> str:
    return title if len(title) <= 40 else title[:39] + "…"
