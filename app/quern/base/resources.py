"""Finds what is not code (icons, texts): inside the installed package or bundle, or beside `app/` in a checkout."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .errors import QuernError

# quern/resources in a wheel or bundle; <root>/resources in a checkout, whose package lies at <root>/app/quern.
_PACKAGE = Path(__file__).resolve().parent.parent
_FOLDERS = (_PACKAGE / "resources", _PACKAGE.parent.parent / "resources")


@dataclass(eq=False)
class ResourceMissing(QuernError):
    """A file that Quern brings along is not where it was installed."""

    name: str

    sentence = 'A file of Quern itself is missing: "{name}".'
    advice = "Install Quern again."


def resource(name: str) -> Path:
    """Return the file `name` ("icons/chat.svg", always with forward slashes) among Quern's resources.

    Raises ResourceMissing where there is no such file, or where `name` leaves the folder.
    """
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts:
        raise ResourceMissing(name)
    for folder in _FOLDERS:
        path = folder / parts
        if path.is_file():
            return path
    raise ResourceMissing(name)
