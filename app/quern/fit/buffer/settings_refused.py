"""Settings that a model cannot be loaded with."""

from dataclasses import dataclass

from quern.fit.errors import FitUnknown


@dataclass(eq=False)
class SettingsRefused(FitUnknown):
    """The engine refuses these settings with this model; `reason` is a clause without a full stop."""

    sentence = "This model cannot be loaded with these settings: {reason}."
    advice = "Choose other settings; 16-bit keys and values (f16) work with every model."
