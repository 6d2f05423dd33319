"""Sending: a new message, an edited one, a reply written anew; one at a time in each chat, and a way to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
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


@dataclass(eq=False, slots=True)
class Outgoing:
    """One thing on its way: a message, one in place of `message_id`, or (`text` None) a reply to be written anew.

    `conversation_id` is None for the first message of a new chat, until that is stored.
    """

    text: str | None
    conversation_id: int | None
    message_id: int | None = None
    is_stopped: bool = False

    @property
    def is_edit(self) -> bool:
        """Whether it takes the place of an earlier message."""
        return self.text is not None and self.message_id is not None


class Outbox(QObject):
    """Owns what is on its way to the model. `accepted` when a message of the shown chat is stored.

    `departed` (Outgoing) says that a message is no longer waiting: its text leaves the composer. `returned` (Outgoing)
    gives back a message that was not stored, perhaps of a chat that is not shown.
    A message sent while a model is loading is held and goes out when the model is ready; `state_changed` follows
    `is_busy` and `held`. `failed` carries a Failure for the shown chat.
    """

    departed = Signal(object)
    returned = Signal(object)
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
        # The shown chat's message between Enter and its turn, and all whose turns have begun, by conversation.
        self._starting: Outgoing | None = None
        self._begun: dict[int, Outgoing] = {}
        self._picked_templates: dict[str, ChatTemplate] = {}
        self.held: Outgoing | None = None
        self._act: Callable[[Resident, ChatTemplate], None] | None = None
        feed.started.connect(self._on_started)
        feed.ended.connect(self._on_ended)
        shelf.residency_changed.connect(self._on_residency)
        chat.left.connect(self._on_left)
        chat.opened.connect(self._release)

    def open(self, store: ConversationStore, turns: ChatTurns) -> None:
        """Use these from now on."""
        self._store, self._turns = store, turns
        self._on_residency()

    @property
    def is_running(self) -> bool:
        """Whether the shown chat is being answered, or just about to be."""
        return self._starting is not None or self._chat.is_running

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
        outgoing = Outgoing(text, self._chat.wanted_id)
        self._when_ready(outgoing, lambda resident, template: self._send(outgoing, text, resident, template))

    def edit(self, message_id: int, text: str) -> None:
        """Say `text` in place of an earlier message."""
        outgoing = Outgoing(text, self._chat.wanted_id, message_id)

        def act(resident: Resident, template: ChatTemplate) -> None:
            turns, sampling = self._require_turns(), self._options.sampling
            name = resident.entry.name
            self._start(outgoing, lambda: turns.edit(message_id, text, resident.engine, template, sampling, name))

        self._when_ready(outgoing, act)

    def regenerate(self, message_id: int) -> None:
        """Have a reply written anew."""
        outgoing = Outgoing(None, self._chat.wanted_id, message_id)

        def act(resident: Resident, template: ChatTemplate) -> None:
            turns, sampling = self._require_turns(), self._options.sampling
            name = resident.entry.name
            self._start(outgoing, lambda: turns.regenerate(message_id, resident.engine, template, sampling, name))

        self._when_ready(outgoing, act)

    def refuse(self, error: QuernError) -> None:
        """Say that a message is not sent, because of what is known of it before."""
        self.failed.emit(failure_of(error, *_fixes(error, Fix.RETRY)))

    def stop(self) -> None:
        """Stop the shown chat's reply, or take back a message that still waits for the model."""
        if self.held is not None:
            self._take_back()
            return
        live = self._feed.live(self._chat.id)
        if live is not None:
            live.turn.cancel()
        elif self._starting is not None:
            self._starting.is_stopped = True

    def _when_ready(self, outgoing: Outgoing, act: Callable[[Resident, ChatTemplate], None]) -> None:
        """Do `act` now, or hold it until the model is loaded, or say what is missing. Does nothing while busy."""
        if self.is_running or self.held is not None:
            return
        resident = self._shelf.resident
        is_early = self._turns is None or self._shelf.is_loading or (resident is None and not self._shelf.is_read)
        if is_early or self._chat.is_opening:
            self.held, self._act = outgoing, act
            self.state_changed.emit()
        elif resident is None:
            self.failed.emit(self._no_model())
        elif (template := self.template_of(resident)) is None:
            self.failed.emit(self._no_template(resident))
        else:
            act(resident, template)

    def _send(self, outgoing: Outgoing, text: str, resident: Resident, template: ChatTemplate) -> None:
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

        self._start(outgoing, work)

    def _start(self, outgoing: Outgoing, work: Callable[[], Turn]) -> None:
        store = self._store
        assert store is not None
        self._starting = outgoing
        if outgoing.text is not None:
            self.departed.emit(outgoing)
        self.state_changed.emit()

        def begin() -> tuple[Turn, Conversation]:
            turn = work()
            return turn, store.get(turn.conversation_id)

        def done(begun: tuple[Turn, Conversation]) -> None:
            turn, conversation = begun
            is_shown = outgoing is self._starting
            if is_shown and outgoing.conversation_id is None:
                self._chat.adopt(conversation)
            outgoing.conversation_id = conversation.id
            self._begun[conversation.id] = outgoing
            self._feed.follow(turn)
            if outgoing.is_stopped:
                turn.cancel()
            self.state_changed.emit()

        self._bridge.store(begin, done, partial(self._fail_start, outgoing))

    def _fail_start(self, outgoing: Outgoing, error: QuernError) -> None:
        is_shown = self._settle(outgoing)
        if outgoing.text is not None:
            self.returned.emit(outgoing)
        self.failed.emit(failure_of(error, _again(outgoing)) if is_shown else failure_of(error))

    def _settle(self, outgoing: Outgoing | None) -> bool:
        """`outgoing` has begun or ended; return whether the shown chat waited for it."""
        is_shown = outgoing is not None and outgoing is self._starting
        if is_shown:
            self._starting = None
        self.state_changed.emit()
        return is_shown

    def _on_started(self, conversation_id: int, event: TurnStarted) -> None:
        if self._settle(self._begun.get(conversation_id)) and event.user is not None:
            self.accepted.emit()

    def _on_ended(self, conversation_id: int, reply: Message | None, error: QuernError | None) -> None:
        outgoing = self._begun.pop(conversation_id, None)
        self._settle(outgoing)
        if outgoing is not None and outgoing.text is not None and error is not None and reply is None:
            self.returned.emit(outgoing)
        if conversation_id != self._chat.id:
            return
        if error is not None and not is_wish(error):
            again = Fix.REGENERATE if reply is not None or outgoing is None else _again(outgoing)
            self.failed.emit(failure_of(error, *_fixes(error, again)))

    def _on_residency(self) -> None:
        self._release()
        self.state_changed.emit()

    def _release(self) -> None:
        """Let what is held go on its way, if it can now."""
        held, act = self.held, self._act
        if held is not None and act is not None and not self._shelf.is_loading and not self._chat.is_opening:
            self.held = self._act = None
            self._when_ready(held, act)
        self.state_changed.emit()

    def _take_back(self) -> None:
        self.held = self._act = None
        self.state_changed.emit()

    def _on_left(self) -> None:
        self._starting = None
        self._take_back()

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


def _again(outgoing: Outgoing) -> Fix:
    return Fix.REGENERATE if outgoing.text is None else Fix.RETRY


def _fixes(error: QuernError, again: Fix) -> tuple[Fix, ...]:
    from quern.runtime import ContextOverflow

    if isinstance(error, ContextOverflow):
        return (Fix.NEW_CHAT, Fix.LARGER_CONTEXT)
    if isinstance(error, _template_errors()):
        return (Fix.PICK_TEMPLATE, again)
    return (again,)


def _template_errors() -> tuple[type[QuernError], ...]:
    """What a model's own template does wrong, so that another one may help."""
    from quern import chat

    return (
        chat.TemplateBroken,
        chat.TemplateRefused,
        chat.TemplateSyntax,
        chat.TemplateTooLong,
        chat.TemplateTooSlow,
        chat.TemplateUnsafe,
    )
