"""The library's tables: files that a person added, and what headers said when they were last read."""

from quern.base import Schema

TABLES = Schema(
    "models",
    (
        # Paths are stored as the bytes of os.fsencode, because a file name need not be text.
        """
        CREATE TABLE added_models (
            path BLOB PRIMARY KEY NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE model_facts (
            path BLOB PRIMARY KEY NOT NULL,
            stamp TEXT NOT NULL,
            facts TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """,
    ),
)
