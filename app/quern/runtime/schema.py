"""Every table of the database: what each room declares, in one list."""

from quern import chat, models

from . import trial

SCHEMAS = (chat.TABLES, models.TABLES, trial.TABLES)
