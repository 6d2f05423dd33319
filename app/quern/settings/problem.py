"""What can be wrong with a settings file: every cause is told, none stops Quern from starting."""

from dataclasses import dataclass
from pathlib import Path

from quern.base import QuernError


@dataclass(eq=False)
class SettingsProblem(QuernError):
    """Something in the settings file that Quern could not use; defaults stand in and the file is kept."""


@dataclass(eq=False)
class UnknownSetting(SettingsProblem):
    """The file or a caller names a setting that this Quern does not have; `suggestion` is the nearest real key."""

    key: str
    suggestion: str

    sentence = 'There is no setting named "{key}".'
    advice = 'Did you mean "{suggestion}"? The line is kept as it is and has no effect.'


@dataclass(eq=False)
class BadSetting(SettingsProblem):
    """The value of a setting is of the wrong kind or outside its limits."""

    key: str
    value: str
    reason: str

    sentence = 'The setting "{key}" cannot be {value}: it must be {reason}.'
    advice = "The default is used until the value is changed."


@dataclass(eq=False)
class SettingsUnreadable(SettingsProblem):
    """The settings file cannot be opened or is not TOML."""

    path: Path
    reason: str

    sentence = "The settings file {path} cannot be read: {reason}."
    advice = (
        "Defaults are used; correct the file, or change a setting in Quern and the old file is kept beside the new one."
    )


@dataclass(eq=False)
class SettingsNewer(SettingsProblem):
    """A newer Quern wrote the settings file."""

    version: int

    sentence = "The settings file was written by a newer Quern (format {version})."
    advice = "What this Quern knows is used and the rest is kept; update Quern to use all of it."


@dataclass(eq=False)
class SettingsNotSaved(QuernError):
    """The settings file could not be written; the change holds until Quern is closed."""

    path: Path
    reason: str

    sentence = "The settings could not be saved to {path}: {reason}."
    advice = "Free space or give Quern write access to the folder, then change the setting again."
