"""Binds transcript and composer to the shown chat: what is said, by whom, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quern.gui.viewmodels.desk import Desk
from quern.gui.widgets.composer import ComposerState, TokenCount

from .chat_column import ChatColumn
from .shown import shown_message

if TYPE_CHECKING:
    from quern.chat import Message
    from quern.gui.widgets.transcript import FindDirection, TranscriptView


class ChatTalk(QObject):
    """Owns the binding; `_edited_id` is the message that the composer edits."""

    def __init__(self, column: ChatColumn, desk: Desk) -> None:
        super().__init__(column)
        self._column = column
        self._desk = desk
        self._edited_id: int | None = None
        self._count: TokenCount | None = None
        column.when_built(self._bind_transcript)
        self._bind_chat()
        self._bind_composer()
        self._show_state()

    def _bind_chat(self) -> None:
        chat = self._desk.chat
        chat.opened.connect(self._show_chat)
        chat.added.connect(self._add)
        chat.replaced.connect(self._replace)
        self._column.find_bar.find_requested.connect(self._find)

    def _bind_transcript(self, transcript: TranscriptView) -> None:
        chat = self._desk.chat
        chat.truncated.connect(transcript.truncate_from)
        chat.grew.connect(transcript.grow_reply)
        transcript.edit_requested.connect(self._begin_edit)
        transcript.regenerate_requested.connect(self._desk.outbox.regenerate)
        transcript.delete_requested.connect(chat.delete_message)
        transcript.sibling_requested.connect(chat.select_sibling)
        transcript.link_activated.connect(self._ask_about_link)

    def _bind_composer(self) -> None:
        composer, desk = self._column.composer, self._desk
        composer.sent.connect(desk.outbox.send)
        composer.edited.connect(self._send_edit)
        composer.stopped.connect(desk.outbox.stop)
        composer.drafted.connect(desk.drafts.change)
        composer.drafted.connect(desk.counter.change)
        desk.drafts.restored.connect(composer.show_draft)
        desk.drafts.restored.connect(desk.counter.change)
        desk.outbox.accepted.connect(composer.accept)
        desk.outbox.state_changed.connect(self._show_state)
        desk.shelf.residency_changed.connect(self._show_state)
        desk.feed.prompt_advanced.connect(self._show_state)
        desk.feed.grew.connect(self._on_grew)
        desk.counter.counted.connect(self._take_count)

    def _show_chat(self, message_id: int) -> None:
        messages = self._desk.chat.messages
        self._column.composer.end_edit()
        self._column.show_messages([shown_message(message) for message in messages])
        if message_id:
            self._column.transcript.scroll_to_message(message_id)
        self._show_stack()

    def _add(self, message: Message) -> None:
        self._column.transcript.append_message(shown_message(message))
        self._show_stack()

    def _replace(self, message: Message) -> None:
        self._column.transcript.replace_message(shown_message(message))

    def _show_stack(self) -> None:
        column = self._column
        if column.stack.currentWidget() is not column.no_model:
            column.show_talk(has_messages=bool(self._desk.chat.messages))

    def _begin_edit(self, message_id: int) -> None:
        message = next((m for m in self._desk.chat.messages if m.id == message_id), None)
        if message is not None:
            self._edited_id = message_id
            self._column.composer.begin_edit(message.content)

    def _send_edit(self, text: str) -> None:
        if self._edited_id is not None:
            self._desk.outbox.edit(self._edited_id, text)

    def _find(self, text: str, direction: FindDirection) -> None:
        self._column.find_bar.show_found(was_found=self._column.transcript.find(text, direction))

    def _ask_about_link(self, address: str) -> None:
        from quern.gui.dialogs.link import LinkDialog, is_openable

        if is_openable(address):
            LinkDialog(address, self._column).open()

    def _on_grew(self, conversation_id: int, _message_id: int, _content: str, _reasoning: str) -> None:
        live = self._desk.feed.live(conversation_id)
        if live is not None and len(live.content) + len(live.reasoning) == 1:
            self._show_state()

    def _take_count(self, n_tokens: int, limit: int) -> None:
        self._count = TokenCount(n_tokens, limit) if limit > 0 else None
        self._show_state()

    def _show_state(self) -> None:
        composer, outbox, shelf = self._column.composer, self._desk.outbox, self._desk.shelf
        if outbox.is_running:
            composer.show_state(ComposerState.RUNNING)
            composer.show_note(self._running_note())
        elif outbox.held is not None:
            composer.show_state(ComposerState.WAITING)
            composer.show_note(self.tr("Goes out as soon as the model is loaded. Esc takes it back."))
        else:
            composer.show_state(ComposerState.READY)
            if shelf.is_loading:
                composer.show_note(self.tr("The model is loading; you can write already."))
            else:
                composer.show_count(self._count)

    def _running_note(self) -> str:
        live = self._desk.feed.live(self._desk.chat.id)
        if live is None or live.has_text or live.n_prompt_total == 0:
            return self.tr("Esc stops the reply.")
        return self.tr("Reading the prompt: {0} of {1} tokens. Esc stops.").format(
            f"{live.n_prompt_done:,}", f"{live.n_prompt_total:,}"
        )
