"""What the composer holds, kept per chat so that neither a switch nor a crash loses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from quern.gui.bridge import Bridge

if TYPE_CHECKING:
    from quern.chat import ConversationStore

SAVE_DELAY_MS = 400


class DraftKeeper(QObject):
    """Owns the draft of the shown chat; `restored` carries a stored draft that belongs into the composer."""

    restored = Signal(str)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._store: ConversationStore | None = None
        self._conversation_id: int | None = None
        self.text = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_DELAY_MS)
        self._timer.timeout.connect(self._save)

    def open(self, store: ConversationStore) -> None:
        """Use `store` from now on; what was typed before is kept."""
        self._store = store
        if self.text:
            self._timer.start()

    def change(self, text: str) -> None:
        """The composer's text changed."""
        if text != self.text:
            self.text = text
            self._timer.start()

    def flush(self) -> None:
        """Store at once what is not stored yet."""
        if self._timer.isActive():
            self._timer.stop()
            self._save()

    def switch(self, conversation_id: int | None) -> None:
        """Another chat is shown: store this draft and bring the other one."""
        self.flush()
        self._conversation_id = conversation_id
        store = self._store
        if store is None:
            return

        def take(text: str) -> None:
            if conversation_id == self._conversation_id and not self._timer.isActive():
                self.text = text
                self.restored.emit(text)

        self._bridge.store(lambda: store.draft(conversation_id), take, lambda _error: take(""))

    def adopt(self, conversation_id: int) -> None:
        """The new chat has become a conversation: its draft goes with it."""
        self._conversation_id = conversation_id

    def _save(self) -> None:
        store, conversation_id, text = self._store, self._conversation_id, self.text
        if store is not None:
            self._bridge.store(lambda: store.save_draft(conversation_id, text), on_failure=lambda _error: None)
