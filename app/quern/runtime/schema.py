"""Every table of the database: what each room declares, in one list."""

from quern import chat, models

from .fit import fit_memory
from .load import trial

SCHEMAS = (chat.TABLES, models.TABLES, trial.TABLES, fit_memory.TABLES)
