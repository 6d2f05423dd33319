"""Finds text in titles and messages, letter by letter: nothing in a query has a special meaning."""

import sqlite3
from collections.abc import Iterable

from .conversation import SearchHit
from .unicode_text import whole_text

# The trigram index answers queries of three characters and more; shorter ones are looked for in every message.
INDEXED_CHARS = 3
# A longer query is looked up by its beginning, then compared in full.
MAX_INDEX_QUERY_CHARS = 64
SNIPPET_BEFORE_CHARS = 32
SNIPPET_CHARS = 160

_BY_INDEX = """
SELECT m.conversation_id, m.id, c.title, m.content
  FROM message_index i JOIN messages m ON m.id = i.rowid JOIN conversations c ON c.id = m.conversation_id
 WHERE message_index MATCH ? AND c.trashed_at IS NULL ORDER BY i.rowid DESC
"""
_BY_SCAN = """
SELECT m.conversation_id, m.id, c.title, m.content
  FROM messages m JOIN conversations c ON c.id = m.conversation_id
 WHERE m.content LIKE ? ESCAPE '\\' AND m.state <> 'streaming' AND c.trashed_at IS NULL ORDER BY m.id DESC
"""

_Row = tuple[int, int, str, str]


def search(connection: sqlite3.Connection, text: str, limit: int) -> tuple[SearchHit, ...]:
    """Return at most `limit` hits: titles first, then messages, newest first. Upper and lower case are the same.

    White space at the ends of `text` is dropped; a query of white space alone finds nothing.
    """
    wanted = whole_text(text.strip().replace("\0", ""))
    if not wanted or limit <= 0:
        return ()
    hits = _search_titles(connection, wanted, limit)
    hits += _search_messages(connection, wanted, limit - len(hits))
    return tuple(hits)


def _search_titles(connection: sqlite3.Connection, wanted: str, limit: int) -> list[SearchHit]:
    rows = connection.execute("SELECT id, title FROM conversations WHERE trashed_at IS NULL ORDER BY sequence DESC")
    folded = wanted.casefold()
    found = [(ident, title) for ident, title in rows if folded in title.casefold()]
    return [_hit(ident, None, title, title, wanted) for ident, title in found[:limit]]


def _search_messages(connection: sqlite3.Connection, wanted: str, limit: int) -> list[SearchHit]:
    if limit <= 0:
        return []
    rows = _by_index(connection, wanted) if len(wanted) >= INDEXED_CHARS else _by_scan(connection, wanted)
    needs_comparison = len(wanted) > MAX_INDEX_QUERY_CHARS
    folded = wanted.casefold()
    hits: list[SearchHit] = []
    for conversation_id, message_id, title, content in rows:
        if needs_comparison and folded not in content.casefold():
            continue
        hits.append(_hit(conversation_id, message_id, title, content, wanted))
        if len(hits) == limit:
            break
    return hits


def _by_index(connection: sqlite3.Connection, wanted: str) -> Iterable[_Row]:
    phrase = wanted[:MAX_INDEX_QUERY_CHARS].replace('"', '""')
    return connection.execute(_BY_INDEX, (f'"{phrase}"',))


def _by_scan(connection: sqlite3.Connection, wanted: str) -> Iterable[_Row]:
    """LIKE folds only ASCII, and is slow for anything else: there each spelling is looked for here."""
    if wanted.isascii():
        literal = wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return connection.execute(_BY_SCAN, (f"%{literal}%",))
    spellings = {wanted, wanted.lower(), wanted.upper(), wanted.title()}
    rows: Iterable[_Row] = connection.execute(_BY_SCAN, ("%",))
    return (row for row in rows if any(spelling in row[3] for spelling in spellings))


def _hit(conversation_id: int, message_id: int | None, title: str, text: str, wanted: str) -> SearchHit:
    at = _find(text, wanted)
    start = max(0, at - SNIPPET_BEFORE_CHARS)
    snippet = "".join(" " if character.isspace() else character for character in text[start : start + SNIPPET_CHARS])
    length = min(len(wanted), len(snippet) - (at - start)) if at >= 0 else 0
    return SearchHit(
        conversation_id=conversation_id,
        message_id=message_id,
        title=title,
        snippet=snippet,
        match_start=max(0, at - start),
        match_length=length,
    )


def _find(text: str, wanted: str) -> int:
    """Return where `wanted` begins in `text`, whatever the case, or -1.

    lower() can change lengths ("İ"), and then its offsets mean nothing.
    """
    at = text.find(wanted)
    if at >= 0:
        return at
    lowered = text.lower()
    return lowered.find(wanted.lower()) if len(lowered) == len(text) else -1
