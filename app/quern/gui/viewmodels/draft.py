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
        # Until the stored draft is read, `text` is only what was typed since: it is added to the draft, never over it.
        self._is_read = False
        self._stored_behind = ""
        self._n_switches = 0
        self.text = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_DELAY_MS)
        self._timer.timeout.connect(self._save)

    def open(self, store: ConversationStore) -> None:
        """Use `store` from now on; what was typed before is kept."""
        self._store = store

    def change(self, text: str) -> None:
        """The composer's text changed."""
        if text != self.text:
            self.text = text
            if self._is_read:
                self._timer.start()

    def flush(self) -> None:
        """Store at once what is not stored yet."""
        if not self._is_read:
            self._store_behind()
        elif self._timer.isActive():
            self._timer.stop()
            self._save()

    def switch(self, conversation_id: int | None) -> None:
        """Another chat is wanted: store this draft, empty the composer, and bring the other one."""
        store = self._store
        if store is None:
            return
        self.flush()
        self._conversation_id, self._is_read = conversation_id, False
        self._stored_behind = ""
        self.text = ""
        self.restored.emit("")
        self.bring()

    def bring(self) -> None:
        """Read the wanted chat's draft and put it in front of what is typed meanwhile."""
        store, conversation_id = self._store, self._conversation_id
        if store is None:
            return
        self._n_switches += 1
        n_switches = self._n_switches

        def take(text: str) -> None:
            if n_switches == self._n_switches:
                typed = self.text
                self._is_read, self.text = True, text + typed
                self.restored.emit(self.text)
                if typed or conversation_id != self._conversation_id:
                    self._timer.start()

        self._bridge.store(lambda: store.draft(conversation_id), take, lambda _error: take(""))

    def adopt(self, conversation_id: int) -> None:
        """The new chat has become a conversation: its draft goes with it."""
        store, self._conversation_id = self._store, conversation_id
        if store is not None:
            self._bridge.store(lambda: store.save_draft(None, ""), on_failure=lambda _error: None)
        if self._is_read:
            self._timer.start()

    def give_back(self, conversation_id: int | None, text: str) -> None:
        """A message of a chat that is not shown could not be sent: put `text` in front of that chat's draft."""
        store = self._store
        if store is not None:

            def work() -> None:
                behind = store.draft(conversation_id)
                store.save_draft(conversation_id, f"{text}\n{behind}" if behind else text)

            self._bridge.store(work, on_failure=lambda _error: None)

    def _store_behind(self) -> None:
        store, conversation_id, text = self._store, self._conversation_id, self.text
        if store is None or text == self._stored_behind:
            return
        self._stored_behind = text

        def work() -> None:
            store.save_draft(conversation_id, store.draft(conversation_id) + text)

        self._bridge.store(work, on_failure=lambda _error: None)

    def _save(self) -> None:
        store, conversation_id, text = self._store, self._conversation_id, self.text
        if store is not None:
            self._bridge.store(lambda: store.save_draft(conversation_id, text), on_failure=lambda _error: None)
