"""Binds transcript and composer to the shown chat: what is said, by whom, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from quern.gui.viewmodels.desk import Desk
from quern.gui.widgets.composer import ComposerState, TokenCount

from .chat_column import ChatColumn
from .shown import shown_message

if TYPE_CHECKING:
    from quern.chat import Message
    from quern.gui.viewmodels.outbox import Outgoing
    from quern.gui.widgets.transcript import FindDirection, TranscriptView


class ChatTalk(QObject):
    """Owns the binding; `_edited_id` is the message that the composer edits."""

    def __init__(self, column: ChatColumn, desk: Desk) -> None:
        super().__init__(column)
        self._column = column
        self._desk = desk
        self._edited_id: int | None = None
        # Half-done edits of chats that are not shown: (message, text) by conversation.
        self._edits: dict[int, tuple[int, str]] = {}
        self._count: TokenCount | None = None
        self._is_warm = False
        column.when_built(self._bind_transcript)
        self._bind_chat()
        self._bind_composer()
        self._show_state()

    def _bind_chat(self) -> None:
        chat = self._desk.chat
        chat.left.connect(self._put_edit_away)
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
        asked = (transcript.regenerate_requested, transcript.delete_requested, transcript.sibling_requested)
        for signal in (*asked, transcript.overlay.jump_asked):
            signal.connect(self._return_to_composer)

    def _bind_composer(self) -> None:
        composer, desk = self._column.composer, self._desk
        composer.sent.connect(self._send)
        composer.edited.connect(self._send_edit)
        composer.stopped.connect(desk.outbox.stop)
        composer.drafted.connect(desk.drafts.change)
        composer.written.connect(self._count_text)
        desk.drafts.restored.connect(composer.show_draft)
        desk.outbox.departed.connect(self._on_departed)
        desk.outbox.returned.connect(self._on_returned)
        composer.edit_given_up.connect(self._take_edit_back)
        desk.outbox.state_changed.connect(self._show_state)
        desk.shelf.residency_changed.connect(self._show_state)
        desk.shelf.residency_changed.connect(self._warm_up)
        desk.feed.prompt_advanced.connect(self._show_state)
        desk.feed.grew.connect(self._on_grew)
        desk.counter.counted.connect(self._take_count)

    def _show_chat(self, message_id: int) -> None:
        messages = self._desk.chat.messages
        self._bring_edit_back()
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

    def _return_to_composer(self) -> None:
        """What was pressed in the transcript is gone or done: what is typed next belongs in the composer."""
        self._column.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _begin_edit(self, message_id: int) -> None:
        message = next((m for m in self._desk.chat.messages if m.id == message_id), None)
        if message is not None:
            self._take_edit_back()
            self._edited_id = message_id
            self._column.composer.begin_edit(message.content)

    def _put_edit_away(self, conversation_id: int | None, _wanted_id: int | None) -> None:
        """Another chat is wanted: an edit under way waits for its own chat to be shown again."""
        composer = self._column.composer
        if composer.is_editing and conversation_id is not None and self._edited_id is not None:
            self._edits[conversation_id] = (self._edited_id, composer.text)
        composer.end_edit()

    def _bring_edit_back(self) -> None:
        chat, composer = self._desk.chat, self._column.composer
        shown = {message.id for message in chat.messages}
        if composer.is_editing and self._edited_id not in shown:
            # The message was deleted or is on another branch: the text becomes the draft.
            text = composer.text
            composer.end_edit()
            composer.put_in_front(text)
        put_away = None if chat.id is None else self._edits.pop(chat.id, None)
        if put_away is not None and put_away[0] in shown:
            self._edited_id = put_away[0]
            composer.begin_edit(put_away[1])
        elif put_away is not None:
            composer.put_in_front(put_away[1])

    def _take_edit_back(self) -> None:
        held = self._desk.outbox.held
        if held is not None and held.is_edit:
            self._desk.outbox.stop()

    def _on_departed(self, outgoing: Outgoing) -> None:
        composer, text = self._column.composer, outgoing.text or ""
        if outgoing.is_edit:
            composer.accept_edit(text)
        else:
            composer.accept(text)

    def _on_returned(self, outgoing: Outgoing) -> None:
        """A message was not stored: its text goes back to where it was typed."""
        composer, text = self._column.composer, outgoing.text or ""
        chat, message_id, conversation_id = self._desk.chat, outgoing.message_id, outgoing.conversation_id
        is_shown = conversation_id == chat.wanted_id
        if message_id is not None and conversation_id is not None and not is_shown:
            self._edits[conversation_id] = (message_id, text)
        elif message_id is not None and not composer.is_editing:
            self._edited_id = message_id
            composer.begin_edit(text)
        elif is_shown:
            composer.put_in_front(text)
        else:
            self._desk.drafts.give_back(conversation_id, text)

    def _warm_up(self) -> None:
        """Build what the first reply needs while nobody waits for it, once a model is there."""
        if self._desk.shelf.resident is not None and not self._is_warm:
            from quern.gui.widgets.transcript.markdown import markdown

            self._is_warm = True
            assert self._column.transcript is not None
            self._desk.bridge.store(markdown)

    def _count_text(self) -> None:
        composer = self._column.composer
        self._desk.counter.change(composer.text, self._edited_id if composer.is_editing else None)

    def _send(self, text: str) -> None:
        overflow = self._desk.counter.overflow_of(text)
        if overflow is None:
            self._desk.outbox.send(text)
        else:
            self._desk.outbox.refuse(overflow)

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
