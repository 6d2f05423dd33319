"""Sending: a new message, an edited one, a reply written anew; one at a time in each chat, and a way to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quern.gui.bridge import Bridge

from .chat_options import ChatOptions
from .failure import Failure, Fix, failure_of, is_wish
from .open_chat import OpenChat
from .shelf import Shelf
from .turn_feed import TurnFeed

if TYPE_CHECKING:
    from quern.base import QuernError
    from quern.chat import ChatTemplate, Conversation, ConversationStore, Message
    from quern.runtime import ChatTurns, Resident, Turn, TurnStarted


class Outbox(QObject):
    """Owns what is on its way to the model. `accepted` when a message of the shown chat is stored.

    A message sent while a model is loading is held and goes out when the model is ready; `state_changed` follows
    `is_busy` and `held`. `failed` carries a Failure for the shown chat.
    """

    accepted = Signal()
    state_changed = Signal()
    failed = Signal(object)

    def __init__(self, bridge: Bridge, chat: OpenChat, options: ChatOptions, shelf: Shelf, feed: TurnFeed) -> None:
        super().__init__()
        self._bridge = bridge
        self._chat = chat
        self._options = options
        self._shelf = shelf
        self._feed = feed
        self._store: ConversationStore | None = None
        self._turns: ChatTurns | None = None
        self._starting = False
        self._stops_at_start = False
        self._picked_templates: dict[str, ChatTemplate] = {}
        self.held: Callable[[], None] | None = None
        feed.started.connect(self._on_started)
        feed.ended.connect(self._on_ended)
        shelf.residency_changed.connect(self._on_residency)
        chat.opened.connect(self._on_opened)

    def open(self, store: ConversationStore, turns: ChatTurns) -> None:
        """Use these from now on."""
        self._store, self._turns = store, turns
        self._on_residency()

    @property
    def is_running(self) -> bool:
        """Whether the shown chat is being answered, or just about to be."""
        return self._starting or self._chat.is_running

    def template_of(self, resident: Resident) -> ChatTemplate | None:
        """The template that prompts for `resident` are written with: its own, or the one that the person picked."""
        return self._picked_templates.get(resident.entry.name, resident.template)

    def pick_template(self, name: str) -> None:
        """Write prompts for the loaded model with one of Quern's own templates from now on."""
        from quern.chat import BUILT_IN_TEMPLATES

        resident = self._shelf.resident
        if resident is not None:
            self._picked_templates[resident.entry.name] = BUILT_IN_TEMPLATES[name]
            self.state_changed.emit()

    def send(self, text: str) -> None:
        """Say `text` in the shown chat."""
        self._when_ready(lambda resident, template: self._send(text, resident, template))

    def edit(self, message_id: int, text: str) -> None:
        """Say `text` in place of an earlier message."""

        def act(resident: Resident, template: ChatTemplate) -> None:
            turns, sampling = self._require_turns(), self._options.sampling
            self._start(lambda: turns.edit(message_id, text, resident.engine, template, sampling, resident.entry.name))

        self._when_ready(act)

    def regenerate(self, message_id: int) -> None:
        """Have a reply written anew."""

        def act(resident: Resident, template: ChatTemplate) -> None:
            turns, sampling = self._require_turns(), self._options.sampling
            self._start(lambda: turns.regenerate(message_id, resident.engine, template, sampling, resident.entry.name))

        self._when_ready(act)

    def stop(self) -> None:
        """Stop the shown chat's reply, or take back a message that still waits for the model."""
        if self.held is not None:
            self.held = None
            self.state_changed.emit()
            return
        live = self._feed.live(self._chat.id)
        if live is not None:
            live.turn.cancel()
        self._stops_at_start = live is None and self._starting

    def _when_ready(self, act: Callable[[Resident, ChatTemplate], None]) -> None:
        """Do `act` now, or hold it until the model is loaded, or say what is missing. Does nothing while busy."""
        if self.is_running or self.held is not None:
            return
        resident = self._shelf.resident
        if self._turns is None or self._shelf.is_loading or (resident is None and not self._shelf.is_read):
            self.held = lambda: self._when_ready(act)
            self.state_changed.emit()
        elif resident is None:
            self.failed.emit(self._no_model())
        elif (template := self.template_of(resident)) is None:
            self.failed.emit(self._no_template(resident))
        else:
            act(resident, template)

    def _send(self, text: str, resident: Resident, template: ChatTemplate) -> None:
        store, turns = self._store, self._require_turns()
        assert store is not None
        conversation, sampling = self._chat.conversation, self._options.sampling
        own_sampling, system_prompt = self._options.own_sampling, self._options.system_prompt

        def work() -> Turn:
            if conversation is not None:
                conversation_id = conversation.id
            else:
                conversation_id = store.create(system_prompt=system_prompt, model_name=resident.entry.name).id
                store.set_sampling(conversation_id, own_sampling)
                store.save_draft(None, "")
            return turns.send(conversation_id, text, resident.engine, template, sampling, resident.entry.name)

        self._start(work)

    def _start(self, work: Callable[[], Turn]) -> None:
        store = self._store
        assert store is not None
        shown = self._chat.id
        self._starting, self._stops_at_start = True, False
        self.state_changed.emit()

        def begin() -> tuple[Turn, Conversation]:
            turn = work()
            return turn, store.get(turn.conversation_id)

        def done(begun: tuple[Turn, Conversation]) -> None:
            turn, conversation = begun
            if self._starting and shown is None and self._chat.id is None:
                self._chat.adopt(conversation)
            self._feed.follow(turn)
            if self._stops_at_start:
                turn.cancel()
            self.state_changed.emit()

        self._bridge.store(begin, done, self._fail_start)

    def _fail_start(self, error: QuernError) -> None:
        self._starting = False
        self.state_changed.emit()
        self.failed.emit(failure_of(error, Fix.RETRY))

    def _on_started(self, conversation_id: int, event: TurnStarted) -> None:
        if conversation_id == self._chat.id and self._starting:
            self._starting = False
            if event.user is not None:
                self.accepted.emit()
            self.state_changed.emit()

    def _on_ended(self, conversation_id: int, reply: Message | None, error: QuernError | None) -> None:
        if conversation_id != self._chat.id:
            return
        self._starting = False
        self.state_changed.emit()
        if error is not None and not is_wish(error):
            self.failed.emit(failure_of(error, *_fixes(error, reply)))

    def _on_residency(self) -> None:
        if self.held is not None and not self._shelf.is_loading:
            act, self.held = self.held, None
            act()
        self.state_changed.emit()

    def _on_opened(self, _message_id: int) -> None:
        self._starting = False
        self.held = None
        self.state_changed.emit()

    def _require_turns(self) -> ChatTurns:
        assert self._turns is not None
        return self._turns

    def _no_model(self) -> Failure:
        return Failure(
            self.tr("No model is loaded."),
            self.tr("Choose one above, then send the message again."),
            (Fix.LOAD_MODEL,) if self._shelf.usable else (Fix.MODELS,),
        )

    def _no_template(self, resident: Resident) -> Failure:
        return Failure(
            self.tr("{0} brings no chat template, so it was probably not trained to chat.").format(resident.entry.name),
            self.tr("Pick one of Quern's own, or another model."),
            (Fix.PICK_TEMPLATE, Fix.MODELS),
        )


def _fixes(error: QuernError, reply: Message | None) -> tuple[Fix, ...]:
    from quern.runtime import ContextOverflow

    if isinstance(error, ContextOverflow):
        return (Fix.NEW_CHAT, Fix.LARGER_CONTEXT)
    return (Fix.RETRY,) if reply is None else (Fix.REGENERATE,)
