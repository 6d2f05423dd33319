"""What opening a file means on each platform, and why it failed, in words."""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_SHARING_VIOLATION = 32  # Windows: ERROR_SHARING_VIOLATION
_LOCK_VIOLATION = 33  # Windows: ERROR_LOCK_VIOLATION

_REASONS: dict[int, str] = {
    errno.ENOENT: "there is no such file",
    errno.ENOTDIR: "there is no such file",
    errno.EACCES: "you have no permission to open it",
    errno.EPERM: "you have no permission to open it",
    errno.ENAMETOOLONG: "its name is too long",
    errno.ELOOP: "its links lead in a circle",
    errno.EIO: "the disk reports an error",
    errno.ESTALE: "the drive that holds it is gone",
    errno.ENODEV: "the drive that holds it is gone",
    errno.ENXIO: "the drive that holds it is gone",
    errno.ETXTBSY: "another program is using it",
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
}


@dataclass(frozen=True, slots=True)
class FileStamp:
    """Which file a path leads to, and its state: equal stamps mean the same, unchanged file."""

    device: int
    inode: int
    size_bytes: int
    modified_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileStamp":
        """Return the stamp in a stat result."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def reason_of(error: OSError | ValueError) -> str:
    """Return why a file could not be opened or read, as a clause without a full stop."""
    if isinstance(error, ValueError):
        return "its name holds a character that no file name may hold"
    if getattr(error, "winerror", None) in (_SHARING_VIOLATION, _LOCK_VIOLATION):
        return "another program is using it"
    return _REASONS.get(error.errno or 0) or (error.strerror or "the system gives no reason").rstrip(".").lower()


def kind_of(status: os.stat_result) -> str | None:
    """Return what a path leads to when it is no regular file ("a folder"), None when it is one."""
    if stat.S_ISDIR(status.st_mode):
        return "a folder"
    return None if stat.S_ISREG(status.st_mode) else "a device or a pipe"


def open_for_reading(path: Path) -> BinaryIO:
    """Open `path` unbuffered, without waiting where it is a pipe with no writer. Raises OSError."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    return open(os.open(path, flags), "rb", buffering=0)  # noqa: PTH123  # the caller owns and closes it
