"""Models without weights, for comparing formulas with llama.cpp: tiny ones of every kind, and published ones."""

from .entry import EXTRA_ZOO as EXTRA_ZOO
from .entry import ZOO as ZOO
from .entry import ZooEntry as ZooEntry
from .oracle import Measured as Measured
from .oracle import Oracle as Oracle
from .published import PUBLISHED as PUBLISHED
from .published import PublishedModel as PublishedModel
from .setting import SETTINGS as SETTINGS

__all__ = ["EXTRA_ZOO", "PUBLISHED", "SETTINGS", "ZOO", "Measured", "Oracle", "PublishedModel", "ZooEntry"]
