"""An error as the window tells it: what happened, what to do next, and the button that does it."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication

from quern.base import Cancelled, QuernError


class Fix(StrEnum):
    """What a button under an error does."""

    RETRY = "retry"
    REGENERATE = "regenerate"
    LOAD_MODEL = "load_model"
    PICK_TEMPLATE = "pick_template"
    NEW_CHAT = "new_chat"
    LARGER_CONTEXT = "larger_context"
    FIT = "fit"
    MACHINE = "machine"
    MODELS = "models"


@dataclass(frozen=True, slots=True)
class Failure:
    """One error in words, with the fixes on offer, the likeliest first."""

    what: str
    next_step: str
    fixes: tuple[Fix, ...] = ()


def failure_of(error: QuernError, *fixes: Fix) -> Failure:
    """Word `error`: its templates are translated first, then filled from its fields."""
    values = error.values()
    translate = QCoreApplication.translate
    return Failure(
        translate("QuernError", error.sentence).format(**values),
        translate("QuernError", error.advice).format(**values),
        fixes,
    )


def is_wish(error: QuernError) -> bool:
    """Whether the person asked for this end (a cancel), so that nothing needs to be said."""
    return isinstance(error, Cancelled)
