"""The one folder that holds everything Quern keeps, and what lies where inside it."""

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .errors import QuernError

# SQLite's unix file layer opens no path longer than this (os_unix.c: MAX_PATHNAME), its "-journal" included.
LONGEST_DATABASE_PATH_BYTES = 512 - len("-journal")

_REASONS = {
    errno.EACCES: "Quern is not allowed to write there",
    errno.EPERM: "Quern is not allowed to write there",
    errno.EROFS: "it is on a read-only disk",
    errno.ENAMETOOLONG: "its path is too long",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.EEXIST: "there is a file in its place",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.ENOENT: "the drive or folder that should hold it does not exist",
}


@dataclass(eq=False)
class HomeUnusable(QuernError):
    """The data folder cannot be made or written."""

    path: Path
    reason: str

    sentence = 'Quern cannot use its data folder "{path}": {reason}.'
    advice = "Choose another folder by setting QUERN_HOME, or make this one writable, and start again."


@dataclass(frozen=True, slots=True)
class Home:
    """The data folder: an absolute path, and where everything in it lies. Nothing is touched until `prepare`."""

    root: Path

    @classmethod
    def locate(cls, environ: Mapping[str, str] = os.environ) -> "Home":
        """Return the folder named by QUERN_HOME, or else the platform's folder for a person's application data."""
        named = environ.get("QUERN_HOME", "")
        if named:
            return cls(_with_home_folder(Path(named)).absolute())
        from platformdirs import user_data_dir

        return cls(Path(user_data_dir("quern", appauthor=False)))

    @property
    def database(self) -> Path:
        """The SQLite file: chats, library index, trial results."""
        return self.root / "quern.db"

    @property
    def backups(self) -> Path:
        """The folder of the database's last few backups."""
        return self.root / "backups"

    @property
    def models(self) -> Path:
        """The folder of Quern's own models."""
        return self.root / "models"

    @property
    def kv(self) -> Path:
        """The folder of saved prefix states."""
        return self.root / "kv"

    @property
    def logs(self) -> Path:
        """The folder of log files and crash reports."""
        return self.root / "logs"

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.root / "settings.toml"

    @property
    def lock(self) -> Path:
        """The file that its owner keeps locked; it names the owner."""
        return self.root / "quern.lock"

    def prepare(self) -> None:
        """Make the folders that are missing, readable by this person only, and prove that the folder can be written.

        Raises HomeUnusable. A full disk alone is no reason: what was saved before can still be read.
        """
        if len(os.fsencode(self.database)) > LONGEST_DATABASE_PATH_BYTES:
            raise HomeUnusable(self.root, _REASONS[errno.ENAMETOOLONG])
        try:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            self.root.mkdir(mode=0o700, exist_ok=True)
            for folder in (self.backups, self.models, self.kv, self.logs):
                folder.mkdir(mode=0o700, exist_ok=True)
            _prove_writable(self.root)
        except OSError as error:
            raise HomeUnusable(self.root, _REASONS.get(error.errno or 0, error.strerror or str(error))) from error
        except ValueError as error:  # an embedded null character
            raise HomeUnusable(self.root, str(error)) from error


def _prove_writable(folder: Path) -> None:
    probe = folder / ".writable"
    try:
        os.close(os.open(probe, os.O_WRONLY | os.O_CREAT, 0o600))
        probe.unlink()
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise


def _with_home_folder(path: Path) -> Path:
    """Return `path` with a leading "~" or "~name" filled in; as it stands where nobody of that name has a folder."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path
