"""Messages in the database: rows in, values out. Every function works inside the transaction it is given."""

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from typing import Any

from quern.spec import FinishReason, Timings, Usage

from .errors import MessageGone
from .message import Figures, Message, MessageState, NewMessage, ReplyText, Role
from .unicode_text import whole_text

_COLUMNS = (
    "id, conversation_id, parent_id, role, content, reasoning, reasoning_ms, state, model_name, figures, created_at"
)

_ROLES = {role.value: role for role in Role}
_STATES = {state.value: state for state in MessageState}

# Ids grow from parent to child, so that a branch is in the order of its ids.
_PATH = f"""
WITH RECURSIVE branch (id, parent_id) AS (
    SELECT id, parent_id FROM messages WHERE id = ?
    UNION ALL
    SELECT p.id, p.parent_id FROM branch b JOIN messages p ON p.id = b.parent_id
)
SELECT {_COLUMNS} FROM messages WHERE id IN (SELECT id FROM branch) ORDER BY id
"""

_SUBTREE = """
WITH RECURSIVE subtree (id) AS (
    SELECT ? UNION ALL SELECT m.id FROM subtree s JOIN messages m ON m.parent_id = s.id
)
"""


def write_figures(figures: Figures | None) -> str | None:
    """Return `figures` as the JSON that the column keeps."""
    if figures is None:
        return None
    usage, timings = figures.usage, figures.timings
    return json.dumps(
        {
            "finish_reason": figures.finish_reason.value,
            "prompt_tokens": usage.prompt_tokens,
            "cached_tokens": usage.cached_tokens,
            "completion_tokens": usage.completion_tokens,
            "ttft_ms": timings.ttft_ms,
            "prompt_tokens_per_s": timings.prompt_tokens_per_s,
            "decode_tokens_per_s": timings.decode_tokens_per_s,
        }
    )


def read_figures(column: str | None) -> Figures | None:
    """Return the figures that `write_figures` wrote."""
    if column is None:
        return None
    value = json.loads(column)
    return Figures(
        usage=Usage(
            prompt_tokens=value["prompt_tokens"],
            cached_tokens=value["cached_tokens"],
            completion_tokens=value["completion_tokens"],
        ),
        timings=Timings(
            ttft_ms=value["ttft_ms"],
            prompt_tokens_per_s=value["prompt_tokens_per_s"],
            decode_tokens_per_s=value["decode_tokens_per_s"],
        ),
        finish_reason=FinishReason(value["finish_reason"]),
    )


def read_message(connection: sqlite3.Connection, message_id: int) -> Message:
    """Return one message. Raises MessageGone."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM messages WHERE id = ?", (message_id,)).fetchone()
    if row is None:
        raise MessageGone(message_id)
    siblings = read_siblings(connection, row[1], row[2])
    return _message(row, siblings)


def read_path(connection: sqlite3.Connection, leaf_id: int | None) -> tuple[Message, ...]:
    """Return the branch from its first message to `leaf_id`, in that order."""
    rows = connection.execute(_PATH, (leaf_id,)).fetchall()
    if not rows:
        return ()
    children: dict[int | None, list[int]] = {}
    for ident, parent_id in connection.execute(
        "SELECT id, parent_id FROM messages WHERE conversation_id = ? ORDER BY id", (rows[0][1],)
    ):
        children.setdefault(parent_id, []).append(ident)
    return tuple(_message(row, children[row[2]]) for row in rows)


def read_siblings(connection: sqlite3.Connection, conversation_id: int, parent_id: int | None) -> tuple[int, ...]:
    """Return the ids of the messages under `parent_id`, or of the first messages for None, oldest first."""
    # IS also compares the NULL parents of first messages.
    rows = connection.execute(
        "SELECT id FROM messages WHERE conversation_id = ? AND parent_id IS ? ORDER BY id", (conversation_id, parent_id)
    )
    return tuple(row[0] for row in rows)


def newest_leaf(connection: sqlite3.Connection, message_id: int) -> int:
    """Return the newest message at or under `message_id`: a leaf, because ids grow from parent to child."""
    return connection.execute(f"{_SUBTREE} SELECT max(id) FROM subtree", (message_id,)).fetchone()[0]


def insert_message(connection: sqlite3.Connection, draft: NewMessage) -> int:
    """Write `draft` as a new message and return its id."""
    cursor = connection.execute(
        "INSERT INTO messages (conversation_id, parent_id, role, content, state, model_name, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            draft.conversation_id,
            draft.parent_id,
            draft.role.value,
            whole_text(draft.content),
            draft.state.value,
            draft.model_name,
            time.time(),
        ),
    )
    return cursor.fetchone()[0]


def update_reply(connection: sqlite3.Connection, message_id: int, reply: ReplyText) -> None:
    """Replace what a reply says. Raises MessageGone."""
    cursor = connection.execute(
        "UPDATE messages SET content = ?, reasoning = ?, reasoning_ms = ?, state = ?, figures = ? WHERE id = ?",
        (
            whole_text(reply.content),
            whole_text(reply.reasoning),
            reply.reasoning_ms,
            reply.state.value,
            write_figures(reply.figures),
            message_id,
        ),
    )
    if cursor.rowcount == 0:
        raise MessageGone(message_id)


def stop_streaming(connection: sqlite3.Connection) -> int:
    """Mark every message that claims to stream as stopped; return how many there were."""
    return connection.execute("UPDATE messages SET state = 'stopped' WHERE state = 'streaming'").rowcount


def drop_stillborn(connection: sqlite3.Connection, message_id: int) -> None:
    """Delete a reply that ended before its first word, unless something follows it."""
    connection.execute(
        "DELETE FROM messages WHERE id = ? AND role = 'assistant' AND state IN ('failed', 'stopped')"
        " AND content = '' AND reasoning = ''"
        " AND NOT EXISTS (SELECT 1 FROM messages c WHERE c.parent_id = messages.id)",
        (message_id,),
    )


def take_subtree(connection: sqlite3.Connection, message_id: int) -> tuple[tuple[object, ...], ...]:
    """Delete `message_id` and everything under it; return the rows for `put_back`, parents before children."""
    rows = connection.execute(
        f"{_SUBTREE} SELECT {_COLUMNS} FROM messages WHERE id IN (SELECT id FROM subtree) ORDER BY id", (message_id,)
    ).fetchall()
    connection.execute(f"{_SUBTREE} DELETE FROM messages WHERE id IN (SELECT id FROM subtree)", (message_id,))
    return tuple(tuple(row) for row in rows)


def put_back(connection: sqlite3.Connection, rows: Iterable[tuple[object, ...]]) -> None:
    """Write again what `take_subtree` took, under the same ids."""
    marks = ", ".join("?" * len(_COLUMNS.split(",")))
    connection.executemany(f"INSERT INTO messages ({_COLUMNS}) VALUES ({marks})", rows)


def _message(row: tuple[Any, ...], siblings: Sequence[int]) -> Message:
    return Message(
        id=row[0],
        conversation_id=row[1],
        parent_id=row[2],
        role=_ROLES[row[3]],
        content=row[4],
        reasoning=row[5],
        reasoning_ms=row[6],
        state=_STATES[row[7]],
        model_name=row[8],
        figures=read_figures(row[9]),
        created_at=row[10],
        sibling_index=siblings.index(row[0]),
        sibling_count=len(siblings),
    )
