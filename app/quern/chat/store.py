"""Where conversations live: every change is one transaction, every method may be called from any thread."""

import sqlite3
import time

from quern.base import Database
from quern.spec import SamplingParams

from . import conversation_table as conversations
from . import message_table as messages
from .conversation import Conversation, ConversationSummary, DeletedMessages, Exchange, SearchHit, Trash
from .message import Figures, Message, MessageState, NewMessage, ReplyText, Role
from .sampling_column import write_sampling
from .search import search
from .title import title_of
from .unicode_text import whole_text


class ConversationStore:
    """Owns the chat room's tables in `database` (opened with TABLES).

    Methods that write raise DatabaseReadOnly, DatabaseBusy, DiskFull or DatabaseDamaged and then have changed nothing;
    ConversationGone and MessageGone for what was deleted meanwhile.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    # The list

    def conversations(self, trash: Trash = Trash.EXCLUDED) -> tuple[ConversationSummary, ...]:
        """Return the conversations, the one written to last first (by sequence, whatever the clock said)."""
        with self._database.reading() as connection:
            return conversations.read_summaries(connection, trash)

    def create(self, title: str = "", system_prompt: str = "", model_name: str = "") -> ConversationSummary:
        """Store a new, empty conversation."""
        with self._database.transaction() as connection:
            ident = conversations.insert_conversation(connection, title, system_prompt, model_name)
            return conversations.read_conversation(connection, ident).summary

    def get(self, conversation_id: int) -> Conversation:
        """Return one conversation, in the trash or not."""
        with self._database.reading() as connection:
            return conversations.read_conversation(connection, conversation_id)

    def rename(self, conversation_id: int, title: str) -> None:
        """Give the conversation a title; "" lets the next first message give one."""
        self._set(conversation_id, "title", " ".join(title.split()))

    def pin(self, conversation_id: int) -> None:
        """Mark the conversation as pinned."""
        self._set(conversation_id, "pinned", 1)

    def unpin(self, conversation_id: int) -> None:
        """Take the mark away again."""
        self._set(conversation_id, "pinned", 0)

    def trash(self, conversation_id: int) -> None:
        """Put the conversation in the trash; `restore` undoes it."""
        self._set(conversation_id, "trashed_at", time.time())

    def restore(self, conversation_id: int) -> None:
        """Take the conversation out of the trash."""
        self._set(conversation_id, "trashed_at", None)

    def purge_trash(self, older_than_s: float) -> int:
        """Delete for good, with messages and search rows, what lies in the trash for longer; return how many."""
        with self._database.transaction() as connection:
            return conversations.delete_trashed(connection, time.time() - older_than_s)

    def search(self, text: str, limit: int = 50) -> tuple[SearchHit, ...]:
        """Return where `text` occurs letter by letter (case aside): titles first, then messages, newest first."""
        with self._database.reading() as connection:
            return search(connection, text, limit)

    # One conversation

    def set_system_prompt(self, conversation_id: int, text: str) -> None:
        """Replace the conversation's system prompt ("" for none)."""
        self._set(conversation_id, "system_prompt", text)

    def set_model_name(self, conversation_id: int, model_name: str) -> None:
        """Remember the model that the conversation uses, by its library name."""
        self._set(conversation_id, "model_name", model_name)

    def set_sampling(self, conversation_id: int, sampling: SamplingParams | None) -> None:
        """Give the conversation its own sampling parameters; None returns to the defaults."""
        self._set(conversation_id, "sampling", write_sampling(sampling))

    def save_draft(self, conversation_id: int | None, text: str) -> None:
        """Keep what the composer holds; `conversation_id` None is the chat that has not begun."""
        if conversation_id is not None:
            self._set(conversation_id, "draft", text)
            return
        with self._database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO new_chat (id, draft) VALUES (1, ?)", (whole_text(text),))

    def draft(self, conversation_id: int | None) -> str:
        """Return what `save_draft` kept, or ""."""
        if conversation_id is not None:
            return self.get(conversation_id).draft
        with self._database.reading() as connection:
            row = connection.execute("SELECT draft FROM new_chat").fetchone()
        return "" if row is None else row[0]

    # Messages

    def path(self, conversation_id: int) -> tuple[Message, ...]:
        """Return the branch that is shown, first message first."""
        with self._database.reading() as connection:
            leaf_id = conversations.read_conversation(connection, conversation_id).leaf_id
            return messages.read_path(connection, leaf_id)

    def path_to(self, message_id: int | None) -> tuple[Message, ...]:
        """Return the branch from its first message to `message_id`; () for None."""
        with self._database.reading() as connection:
            return messages.read_path(connection, message_id)

    def message(self, message_id: int) -> Message:
        """Return one message."""
        with self._database.reading() as connection:
            return messages.read_message(connection, message_id)

    def siblings(self, message_id: int) -> tuple[int, ...]:
        """Return the ids of the answers to this message's parent, itself included, oldest first."""
        with self._database.reading() as connection:
            message = messages.read_message(connection, message_id)
            return messages.read_siblings(connection, message.conversation_id, message.parent_id)

    def append(
        self,
        conversation_id: int,
        parent_id: int | None,
        role: Role,
        content: str,
        *,
        state: MessageState = MessageState.COMPLETE,
        model_name: str = "",
    ) -> Message:
        """Store a message under `parent_id` (None: a first message); it becomes the leaf that is shown."""
        new = NewMessage(
            conversation_id=conversation_id,
            parent_id=parent_id,
            role=role,
            content=content,
            state=state,
            model_name=model_name,
        )
        with self._database.transaction() as connection:
            return _append(connection, new)

    def begin_reply(self, parent: Message, model_name: str, in_place_of: Message) -> Exchange:
        """Store an empty, streaming reply to an old message of a person.

        The reply `in_place_of` goes if it failed or was stopped before its first word and nothing follows it.
        """
        with self._database.transaction() as connection:
            messages.drop_stillborn(connection, in_place_of.id)
            return Exchange(None, _append(connection, _empty_reply(parent, model_name)))

    def begin_exchange(self, conversation_id: int, parent_id: int | None, text: str, model_name: str) -> Exchange:
        """Store a person's message and an empty, streaming reply to it in one transaction; a draft of it is emptied."""
        new = NewMessage(conversation_id=conversation_id, parent_id=parent_id, role=Role.USER, content=text)
        with self._database.transaction() as connection:
            user = _append(connection, new)
            reply = _append(connection, _empty_reply(user, model_name))
            if conversations.read_conversation(connection, conversation_id).draft.strip() == text.strip():
                conversations.set_column(connection, conversation_id, "draft", "")
            return Exchange(user, reply)

    def save_reply(
        self,
        message_id: int,
        content: str,
        reasoning: str,
        reasoning_ms: int | None,
        state: MessageState,
        figures: Figures | None = None,
    ) -> None:
        """Replace what a reply says."""
        reply = ReplyText(content=content, reasoning=reasoning, reasoning_ms=reasoning_ms, state=state, figures=figures)
        with self._database.transaction() as connection:
            messages.update_reply(connection, message_id, reply)

    def select(self, message_id: int) -> None:
        """Show the branch through `message_id`, down to the newest message under it."""
        with self._database.transaction() as connection:
            message = messages.read_message(connection, message_id)
            leaf_id = messages.newest_leaf(connection, message_id)
            conversations.set_column(connection, message.conversation_id, "leaf_id", leaf_id)

    def delete_message(self, message_id: int) -> DeletedMessages:
        """Delete a message and everything that follows it in its branches; return what `undelete` needs.

        What is shown then: the newest sibling's branch, or else the branch up to the parent.
        """
        with self._database.transaction() as connection:
            message = messages.read_message(connection, message_id)
            before = conversations.read_conversation(connection, message.conversation_id).leaf_id
            rows = messages.take_subtree(connection, message_id)
            taken = tuple(int(str(row[0])) for row in rows)
            if before in taken:
                siblings = messages.read_siblings(connection, message.conversation_id, message.parent_id)
                leaf_id = messages.newest_leaf(connection, siblings[-1]) if siblings else message.parent_id
                conversations.set_column(connection, message.conversation_id, "leaf_id", leaf_id)
        return DeletedMessages(message.conversation_id, taken, before, rows)

    def undelete(self, deleted: DeletedMessages) -> None:
        """Bring back what `delete_message` took, and show what was shown before."""
        with self._database.transaction() as connection:
            conversations.read_conversation(connection, deleted.conversation_id)
            messages.put_back(connection, deleted.rows)
            conversations.set_column(connection, deleted.conversation_id, "leaf_id", deleted.leaf_id)

    def settle_interrupted(self) -> int:
        """At start: mark replies that a dead process was writing as stopped; return how many there were."""
        with self._database.transaction() as connection:
            return messages.stop_streaming(connection)

    def _set(self, conversation_id: int, column: str, value: object) -> None:
        with self._database.transaction() as connection:
            conversations.set_column(connection, conversation_id, column, value)


def _empty_reply(parent: Message, model_name: str) -> NewMessage:
    return NewMessage(
        conversation_id=parent.conversation_id,
        parent_id=parent.id,
        role=Role.ASSISTANT,
        content="",
        state=MessageState.STREAMING,
        model_name=model_name,
    )


def _append(connection: sqlite3.Connection, new: NewMessage) -> Message:
    """Write `new`, show it, and let a first message of a person name the conversation."""
    conversation = conversations.read_conversation(connection, new.conversation_id)
    if new.parent_id is not None:
        messages.read_message(connection, new.parent_id)
    ident = messages.insert_message(connection, new)
    conversations.touch(connection, new.conversation_id, ident)
    if new.role is Role.USER and not conversation.title:
        conversations.set_column(connection, new.conversation_id, "title", title_of(new.content))
    return messages.read_message(connection, ident)
