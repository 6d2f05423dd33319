"""Conversations in the database: rows in, values out. Every function works inside the transaction it is given."""

import sqlite3
import time
from typing import Any

from .conversation import Conversation, ConversationSummary, Trash
from .errors import ConversationGone
from .sampling_column import read_sampling
from .unicode_text import whole_text

_SUMMARY = """
SELECT c.id, c.title, c.pinned, c.created_at, c.updated_at,
       (SELECT count(*) FROM messages m WHERE m.conversation_id = c.id)
"""
_NEXT_SEQUENCE = "(SELECT coalesce(max(sequence), 0) + 1 FROM conversations)"


def read_summaries(connection: sqlite3.Connection, trash: Trash) -> tuple[ConversationSummary, ...]:
    """Return the rows of the list, the one written to last first."""
    where = "IS NULL" if trash is Trash.EXCLUDED else "IS NOT NULL"
    rows = connection.execute(f"{_SUMMARY} FROM conversations c WHERE c.trashed_at {where} ORDER BY c.sequence DESC")
    return tuple(_summary(row) for row in rows)


def read_conversation(connection: sqlite3.Connection, conversation_id: int) -> Conversation:
    """Return one conversation, in the trash or not. Raises ConversationGone."""
    row = connection.execute(
        f"{_SUMMARY}, c.system_prompt, c.model_name, c.sampling, c.draft, c.leaf_id"
        " FROM conversations c WHERE c.id = ?",
        (conversation_id,),
    ).fetchone()
    if row is None:
        raise ConversationGone(conversation_id)
    return Conversation(
        summary=_summary(row),
        system_prompt=row[6],
        model_name=row[7],
        sampling=read_sampling(row[8]),
        draft=row[9],
        leaf_id=row[10],
    )


def insert_conversation(connection: sqlite3.Connection, title: str, system_prompt: str, model_name: str) -> int:
    """Write a new, empty conversation and return its id."""
    now = time.time()
    cursor = connection.execute(
        "INSERT INTO conversations (title, system_prompt, model_name, sequence, created_at, updated_at)"
        f" VALUES (?, ?, ?, {_NEXT_SEQUENCE}, ?, ?) RETURNING id",
        (whole_text(title), whole_text(system_prompt), model_name, now, now),
    )
    return cursor.fetchone()[0]


def set_column(connection: sqlite3.Connection, conversation_id: int, column: str, value: object) -> None:
    """Write one column of a conversation; `column` is a name from the schema. Raises ConversationGone."""
    stored = whole_text(value) if isinstance(value, str) else value
    cursor = connection.execute(f"UPDATE conversations SET {column} = ? WHERE id = ?", (stored, conversation_id))
    if cursor.rowcount == 0:
        raise ConversationGone(conversation_id)


def touch(connection: sqlite3.Connection, conversation_id: int, leaf_id: int | None) -> None:
    """Show the branch that ends at `leaf_id`, and move the conversation to the top of the list."""
    connection.execute(
        f"UPDATE conversations SET leaf_id = ?, updated_at = ?, sequence = {_NEXT_SEQUENCE} WHERE id = ?",
        (leaf_id, time.time(), conversation_id),
    )


def delete_trashed(connection: sqlite3.Connection, before: float) -> int:
    """Delete for good what was put in the trash before `before` (seconds since 1970); return how many."""
    return connection.execute("DELETE FROM conversations WHERE trashed_at <= ?", (before,)).rowcount


def _summary(row: tuple[Any, ...]) -> ConversationSummary:
    return ConversationSummary(
        id=row[0], title=row[1], pinned=bool(row[2]), created_at=row[3], updated_at=row[4], n_messages=row[5]
    )
