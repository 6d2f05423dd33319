"""The last deletions, each of which can be undone: chats and messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from .conversations import Conversations
from .open_chat import OpenChat

if TYPE_CHECKING:
    from quern.chat import ConversationSummary, DeletedMessages

KEPT = 20


class Deletions(QObject):
    """Owns what can be brought back, the last deletion first; `announced` carries a sentence about the newest."""

    announced = Signal(str)

    def __init__(self, conversations: Conversations, chat: OpenChat) -> None:
        super().__init__()
        self._conversations = conversations
        self._chat = chat
        self._taken: list[ConversationSummary | DeletedMessages] = []
        conversations.deleted.connect(self._take_conversation)
        chat.messages_deleted.connect(self._take_messages)

    @property
    def can_undo(self) -> bool:
        """Whether anything can be brought back."""
        return bool(self._taken)

    def undo(self) -> None:
        """Bring the last deletion back."""
        from quern.chat import DeletedMessages

        if not self._taken:
            return
        taken = self._taken.pop()
        if isinstance(taken, DeletedMessages):
            self._chat.undelete(taken)
        else:
            self._conversations.restore(taken.id)

    def _take_conversation(self, summary: ConversationSummary) -> None:
        self._keep(summary)
        title = summary.title or self.tr("New chat")
        self.announced.emit(self.tr("“{0}” deleted").format(title if len(title) <= 40 else title[:39] + "…"))

    def _take_messages(self, deleted: DeletedMessages) -> None:
        self._keep(deleted)
        count = len(deleted.message_ids)
        self.announced.emit(self.tr("Message deleted") if count == 1 else self.tr("{0} messages deleted").format(count))

    def _keep(self, taken: ConversationSummary | DeletedMessages) -> None:
        self._taken = [*self._taken[-KEPT + 1 :], taken]
