"""How a worker can end other than with an answer."""

from dataclasses import dataclass, field

from .errors import QuernError
from .json_value import JsonObject


def _no_fields() -> JsonObject:
    return {}


@dataclass(eq=False)
class WorkerCrashed(QuernError):
    """The worker was ended by a fault or by the system; `signal_name` as the system writes it ("SIGSEGV")."""

    name: str
    signal_name: str

    sentence = 'Quern\'s helper process "{name}" crashed ({signal_name}).'
    advice = "Nothing was lost; try again, if need be with safer settings."


@dataclass(eq=False)
class WorkerAborted(QuernError):
    """The worker's native code called abort(); `last_words` is the end of what it wrote to stderr."""

    name: str
    last_words: str

    sentence = 'Quern\'s helper process "{name}" stopped itself on a failed check.'
    advice = "Nothing was lost; try again, if need be with safer settings."


@dataclass(eq=False)
class WorkerTimedOut(QuernError):
    """The worker gave no answer in time and was killed."""

    name: str
    seconds: float

    sentence = 'Quern\'s helper process "{name}" gave no answer within {seconds:g} s and was stopped.'
    advice = "Nothing was lost; try again when the machine is less busy."


@dataclass(eq=False)
class WorkerFailed(QuernError):
    """The worker said that it failed. `kind` and `fields` are its own words for why; both empty when it just ended."""

    name: str
    reason: str
    kind: str = ""
    fields: JsonObject = field(default_factory=_no_fields)

    sentence = 'Quern\'s helper process "{name}" failed: {reason}'
    advice = "Nothing was lost; try again."
