"""The root of every error that Quern raises on purpose: a cause with fields, worded at the edge."""

from dataclasses import dataclass, fields
from typing import ClassVar


@dataclass(eq=False)
class QuernError(Exception):
    """A cause with fields. Each subclass is a dataclass and declares two templates filled from its fields.

    `sentence` says what happened; `advice` says what to do next. Both are plain format strings so that an edge (the
    window, the terminal) can translate the template before it fills it.
    """

    sentence: ClassVar[str] = "Something went wrong."
    advice: ClassVar[str] = "Try again."

    def values(self) -> dict[str, object]:
        """Return the error's fields by name, for filling the templates."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def what(self) -> str:
        """What happened, in one English sentence."""
        return self.sentence.format(**self.values())

    @property
    def next_step(self) -> str:
        """What to do next, in one English sentence."""
        return self.advice.format(**self.values())

    def __str__(self) -> str:
        return f"{self.what} {self.next_step}"


@dataclass(eq=False)
class Cancelled(QuernError):
    """The person or program that asked for the work no longer wants it."""

    sentence = "Cancelled."
    advice = "Nothing was changed."
