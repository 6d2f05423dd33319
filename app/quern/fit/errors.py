"""Why the question "will it fit?" has no answer."""

from dataclasses import dataclass

from quern.base import QuernError


@dataclass(eq=False)
class FitUnknown(QuernError):
    """The header does not say enough, or says what cannot be; `reason` is a clause without a full stop."""

    reason: str

    sentence = "How much memory this model takes cannot be said: {reason}."
    advice = "Download the model again, or look for another conversion of it."
