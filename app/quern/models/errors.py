"""What can go wrong when a model is looked for or fetched."""

from dataclasses import dataclass
from pathlib import Path

from quern.base import QuernError, format_bytes


@dataclass(eq=False)
class ModelNotFound(QuernError):
    """Nothing in the library is called `text`; `suggestions` are names that look like it, closest first."""

    text: str
    suggestions: tuple[str, ...]

    sentence = 'There is no model called "{text}".'
    advice = "{hint}"

    def values(self) -> dict[str, object]:
        """Return the fields, and the next step in words as `hint`."""
        quoted = " or ".join(f'"{name}"' for name in self.suggestions)
        hint = (
            f"Did you mean {quoted}?"
            if quoted
            else "See the names with: quern list. The path of a .gguf file works too."
        )
        return {**super().values(), "hint": hint}


@dataclass(eq=False)
class ModelAmbiguous(QuernError):
    """Several models' names begin with `text`."""

    text: str
    names: tuple[str, ...]

    sentence = 'Several models are called "{text}...": {name_list}.'
    advice = "Write more of the name."

    def values(self) -> dict[str, object]:
        """Return the fields, and the names in words as `name_list`."""
        return {**super().values(), "name_list": ", ".join(f'"{name}"' for name in self.names)}


@dataclass(eq=False)
class DownloadProblem(QuernError):
    """The root of every reason for which the file `file_name` could not be fetched."""

    file_name: str

    sentence = '"{file_name}" could not be downloaded.'
    advice = "Try again."


@dataclass(eq=False)
class DownloadFailed(DownloadProblem):
    """The server or the disk refused; `reason` is a clause without a full stop."""

    reason: str

    sentence = '"{file_name}" could not be downloaded: {reason}.'
    advice = "Try again later; what was fetched so far is kept."


@dataclass(eq=False)
class DownloadForbidden(DownloadProblem):
    """Quern is offline on purpose."""

    sentence = '"{file_name}" was not downloaded, because Quern is set to stay offline.'
    advice = "Switch off offline mode in the settings (or unset QUERN_OFFLINE) and try again."


@dataclass(eq=False)
class HubUnreachable(DownloadProblem):
    """The server cannot be reached or stopped answering; `reason` is a clause without a full stop."""

    host: str
    reason: str

    sentence = '"{file_name}" could not be downloaded: {host} cannot be reached ({reason}).'
    advice = "Check the network connection and try again; what was fetched so far is kept."


@dataclass(eq=False)
class HashMismatch(DownloadProblem):
    """All bytes came, but not the right ones; they were removed."""

    expected_sha256: str
    actual_sha256: str

    sentence = '"{file_name}" arrived damaged and was removed: its SHA-256 is not the one that was promised.'
    advice = "Try again; if it happens twice, something between here and the server changes files."


@dataclass(eq=False)
class NotEnoughSpace(DownloadProblem):
    """The disk that holds `folder` cannot take the file."""

    folder: Path
    needed_bytes: int
    free_bytes: int

    sentence = '"{file_name}" needs {needed_text} more on the disk, and {free_text} are free.'
    advice = "Free some space and try again; what was fetched so far is kept."

    def values(self) -> dict[str, object]:
        """Return the fields, and both sizes in words."""
        sizes = {"needed_text": format_bytes(self.needed_bytes), "free_text": format_bytes(self.free_bytes)}
        return {**super().values(), **sizes}
