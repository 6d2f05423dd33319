"""One model of the library."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from quern.base import QuernError
from quern.gguf import ModelFacts


class Origin(StrEnum):
    """How a model came into the library; OPENED ones are not in it but were named by their path."""

    STARTER = "starter"
    OWN_FOLDER = "own_folder"
    ADDED = "added"
    OPENED = "opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """A model on this machine, or a file that should be one and is not: then `problem` says why and `facts` is None.

    `name` is unique in the library. `path` is the file to open (the first shard); `shards` are all files, `path`
    included; `size_bytes` is theirs together (0 where the file is gone).
    """

    name: str
    path: Path
    shards: tuple[Path, ...]
    size_bytes: int
    origin: Origin
    facts: ModelFacts | None
    problem: QuernError | None = None

    @property
    def is_usable(self) -> bool:
        """Whether the file is a whole model, as far as its header tells."""
        return self.problem is None and self.facts is not None

    def require_facts(self) -> ModelFacts:
        """Return the facts; raises `problem` where the file is no good."""
        if self.problem is not None:
            raise self.problem
        assert self.facts is not None, "an entry without a problem has facts"
        return self.facts
