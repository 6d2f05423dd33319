"""The chat room's tables.

    conversations 1 --- n messages (a tree by parent_id; several roots; ids grow from parent to child)
         leaf_id --------> the newest message of the branch that is shown
    message_index           trigrams of every message that no longer streams (kept by triggers)
    new_chat                one row: the draft of a chat that has not begun

`sequence` orders the conversations: it grows by one with each message, whatever the clock says. `parent_id` is
checked at the end of a transaction, so that a branch is deleted in any order (a cascade would recurse once per level).
"""

from quern.base import Schema

_FIRST = """
CREATE TABLE conversations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    system_prompt TEXT NOT NULL,
    model_name TEXT NOT NULL,
    sampling TEXT,
    draft TEXT NOT NULL DEFAULT '',
    leaf_id INTEGER REFERENCES messages (id) ON DELETE SET NULL,
    sequence INTEGER NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    trashed_at REAL
) STRICT;

CREATE INDEX conversations_by_sequence ON conversations (sequence);
CREATE INDEX conversations_by_leaf ON conversations (leaf_id);

CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    parent_id INTEGER REFERENCES messages (id) DEFERRABLE INITIALLY DEFERRED,
    role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    content TEXT NOT NULL,
    reasoning TEXT NOT NULL DEFAULT '',
    reasoning_ms INTEGER,
    state TEXT NOT NULL CHECK (state IN ('streaming', 'complete', 'stopped', 'failed')),
    model_name TEXT NOT NULL DEFAULT '',
    figures TEXT,
    created_at REAL NOT NULL
) STRICT;

CREATE INDEX messages_by_conversation ON messages (conversation_id, parent_id);
CREATE INDEX messages_by_parent ON messages (parent_id);
CREATE INDEX messages_streaming ON messages (id) WHERE state = 'streaming';

CREATE TABLE new_chat (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    draft TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE message_index USING fts5 (
    content, content = 'messages', content_rowid = 'id', tokenize = 'trigram'
);

CREATE TRIGGER messages_indexed AFTER INSERT ON messages WHEN new.state <> 'streaming'
BEGIN
    INSERT INTO message_index (rowid, content) VALUES (new.id, new.content);
END;

CREATE TRIGGER messages_unindexed AFTER DELETE ON messages WHEN old.state <> 'streaming'
BEGIN
    INSERT INTO message_index (message_index, rowid, content) VALUES ('delete', old.id, old.content);
END;

CREATE TRIGGER messages_reindexed AFTER UPDATE OF content, state ON messages
WHEN old.state <> 'streaming' OR new.state <> 'streaming'
BEGIN
    INSERT INTO message_index (message_index, rowid, content)
        SELECT 'delete', old.id, old.content WHERE old.state <> 'streaming';
    INSERT INTO message_index (rowid, content)
        SELECT new.id, new.content WHERE new.state <> 'streaming';
END;
"""

TABLES = Schema("chat", (_FIRST,))
