"""Why the question "will it fit?" has no answer."""

from dataclasses import dataclass

from quern.base import QuernError


@dataclass(eq=False)
class FitUnknown(QuernError):
    """The header does not say enough, or says what cannot be; `reason` is a clause without a full stop."""

    reason: str

    sentence = "How much memory this model takes cannot be said: {reason}."
    advice = "Download the model again, or look for another conversion of it."


@dataclass(eq=False)
class DeviceGone(QuernError):
    """The engine offloads to a device of which the machine no longer knows any memory."""

    device: str

    sentence = "The graphics processor {device}, which the engine found a moment ago, is no longer there."
    advice = "Check its cable and its driver, then look again; without it, models run on the CPU."
