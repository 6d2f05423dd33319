"""The settings of the shown chat: its system prompt and its sampling, also before the chat has begun."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quern.gui.bridge import Bridge

from .failure import failure_of
from .open_chat import OpenChat
from .preferences import Preferences
from .sampling import sampling_of
from .shelf import Shelf

if TYPE_CHECKING:
    from quern.base import QuernError
    from quern.chat import ConversationStore
    from quern.spec import SamplingParams


class ChatOptions(QObject):
    """Owns what a new chat will begin with; `changed` when system prompt or sampling in use did."""

    changed = Signal()
    failed = Signal(object)

    def __init__(self, bridge: Bridge, chat: OpenChat, shelf: Shelf, preferences: Preferences) -> None:
        super().__init__()
        self._bridge = bridge
        self._chat = chat
        self._shelf = shelf
        self._preferences = preferences
        self._store: ConversationStore | None = None
        self._new_system_prompt: str | None = None
        self._new_sampling: SamplingParams | None = None
        chat.opened.connect(self._forget_new)
        chat.adopted.connect(self._carry_over)
        chat.options_changed.connect(self.changed)
        shelf.residency_changed.connect(self.changed)
        preferences.changed.connect(self._tell)

    def open(self, store: ConversationStore) -> None:
        """Use `store` from now on."""
        self._store = store

    @property
    def system_prompt(self) -> str:
        """What the model is told first in the shown chat."""
        if self._chat.conversation is not None:
            return self._chat.conversation.system_prompt
        if self._new_system_prompt is not None:
            return self._new_system_prompt
        return self._preferences.current.system_prompt

    @property
    def sampling(self) -> SamplingParams:
        """How tokens are chosen in the shown chat."""
        if self._chat.conversation is None and self._new_sampling is not None:
            return self._new_sampling
        resident = self._shelf.resident
        return sampling_of(
            self._chat.conversation, None if resident is None else resident.entry, self._preferences.current
        )

    @property
    def own_sampling(self) -> SamplingParams | None:
        """The shown chat's own parameters, None where the defaults hold."""
        conversation = self._chat.conversation
        return self._new_sampling if conversation is None else conversation.sampling

    def set_system_prompt(self, text: str) -> None:
        """Change the shown chat's system prompt."""
        store, conversation_id = self._store, self._chat.id
        if text == self.system_prompt:
            return
        if conversation_id is None or store is None:
            self._new_system_prompt = text
            self.changed.emit()
            return
        reread = partial(self._reread, conversation_id)
        self._bridge.store(lambda: store.set_system_prompt(conversation_id, text), reread, self._fail)

    def set_sampling(self, params: SamplingParams | None) -> None:
        """Give the shown chat its own sampling; None returns to the defaults."""
        store, conversation_id = self._store, self._chat.id
        if conversation_id is None or store is None:
            self._new_sampling = params
            self.changed.emit()
            return
        reread = partial(self._reread, conversation_id)
        self._bridge.store(lambda: store.set_sampling(conversation_id, params), reread, self._fail)

    def _tell(self) -> None:
        self.changed.emit()

    def _reread(self, conversation_id: int, _result: None) -> None:
        self._chat.refresh_options(conversation_id)

    def _carry_over(self) -> None:
        """What was changed while a new chat's first message was on its way belongs to that chat."""
        system_prompt, sampling = self._new_system_prompt, self._new_sampling
        self._new_system_prompt, self._new_sampling = None, None
        if system_prompt is not None:
            self.set_system_prompt(system_prompt)
        if sampling != self.own_sampling:
            self.set_sampling(sampling)

    def _forget_new(self) -> None:
        if self._new_system_prompt is not None or self._new_sampling is not None:
            self._new_system_prompt, self._new_sampling = None, None
            self.changed.emit()

    def _fail(self, error: QuernError) -> None:
        self.failed.emit(failure_of(error))
