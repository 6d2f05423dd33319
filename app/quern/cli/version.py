"""`quern --version`: one line for people, the versions that matter as JSON for programs."""

import platform
from importlib import metadata

from quern import __version__
from quern.base import Json

from .output import print_json, print_text

_PACKAGES = ("llama-cpp-python", "PySide6-Essentials")


def print_version() -> None:
    """Print Quern's version as one line."""
    print_text(f"quern {__version__}\n")


def print_versions_json() -> None:
    """Print `{"version", "versions"}`; a package is null where it is not installed. Imports none of them."""
    versions: dict[str, Json] = {"Quern": __version__, "Python": platform.python_version()}
    print_json({"version": __version__, "versions": {**versions, **{name: _installed(name) for name in _PACKAGES}}})


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
