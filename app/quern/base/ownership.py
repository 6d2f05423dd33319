"""One process owns the data folder: a locked file that names its owner and is free again when that has died."""

import errno
import json
import os
import time
from dataclasses import dataclass

from .errors import QuernError
from .paths import Home, HomeUnusable
from .system import lock_file

# The owner locks first and writes its name then; who comes in between waits this long for the name.
_NAME_WAIT_S = 0.5
_NAME_POLL_S = 0.01


@dataclass(eq=False)
class HomeOwned(QuernError):
    """Another process owns the data folder; `pid` is 0 where it has not said which."""

    pid: int
    purpose: str

    sentence = "Quern is already running (process {pid}, {purpose})."
    advice = "Use the one that is open, or close it and try again."


class Ownership:
    """Owns the data folder's lock until `release`, or until this process ends, however it ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def claim(cls, home: Home, purpose: str) -> "Ownership":
        """Become the owner; `purpose` ("window", "quern pull") is what a second process is told.

        `home` is prepared. Raises HomeOwned when another has it, HomeUnusable where the lock cannot be written.
        """
        try:
            descriptor = os.open(home.lock, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise HomeUnusable(home.root, error.strerror or str(error)) from error
        try:
            if not lock_file(descriptor):
                raise _read_owner(home)
            _write_owner(descriptor, purpose)
        except OSError as error:
            os.close(descriptor)
            raise HomeUnusable(home.root, error.strerror or str(error)) from error
        except HomeOwned:
            os.close(descriptor)
            raise
        return cls(descriptor)

    def release(self) -> None:
        """Give the folder back. Does nothing the second time."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.ftruncate(descriptor, 0)
            os.close(descriptor)

    def __enter__(self) -> "Ownership":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _write_owner(descriptor: int, purpose: str) -> None:
    try:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, json.dumps({"pid": os.getpid(), "purpose": purpose}).encode())
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):  # a nameless owner is an owner still
            raise


def _read_owner(home: Home) -> HomeOwned:
    deadline = time.monotonic() + _NAME_WAIT_S
    while True:
        try:
            document = json.loads(home.lock.read_bytes())
            return HomeOwned(int(document["pid"]), str(document["purpose"]))
        except (ValueError, KeyError, TypeError):
            if time.monotonic() > deadline:
                return HomeOwned(0, "unknown")
            time.sleep(_NAME_POLL_S)
