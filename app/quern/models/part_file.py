"""A download that is not finished: the bytes so far, under another name, and their hash."""

import errno
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self

from quern.base import DiskFull

from .errors import DownloadFailed
from .system import sync_folder

_BLOCK_BYTES = 1024 * 1024


class PartFile:
    """Owns the open file `path`, which keeps what an earlier run had fetched; a context manager.

    Its name ends in the tag of the content, so bytes of different versions never meet. Every method raises
    DownloadFailed where the file cannot be read or written, and DiskFull.
    """

    def __init__(self, final: Path, tag: str) -> None:
        self._final = final
        self.path = final.with_name(f"{final.name}.{tag}.part")
        self.size_bytes = 0
        self._hash = sha256()
        try:
            final.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b", buffering=0)
        except (OSError, ValueError) as error:
            raise self._failure(error) from error

    def read_back(self, report: Callable[[int], None]) -> None:
        """Hash what is already there; `report` is called with the bytes done."""
        try:
            self._file.seek(0)
            while block := self._file.read(_BLOCK_BYTES):
                self._hash.update(block)
                self.size_bytes += len(block)
                report(self.size_bytes)
        except OSError as error:
            raise self._failure(error) from error

    def append(self, data: bytes) -> None:
        """Add `data` at the end."""
        try:
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            raise self._failure(error) from error
        self._hash.update(data)
        self.size_bytes += len(data)

    def restart(self) -> None:
        """Forget all bytes."""
        try:
            self._file.truncate(0)
        except OSError as error:
            raise self._failure(error) from error
        self._hash = sha256()
        self.size_bytes = 0

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes so far, in hex."""
        return self._hash.hexdigest()

    def remove(self) -> None:
        """Close and delete the file."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def keep(self) -> Path:
        """Write everything to the disk itself, give the file its final name and return that."""
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            self.path.replace(self._final)
            sync_folder(self._final.parent)
        except OSError as error:
            raise self._failure(error) from error
        return self._final

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _failure(self, error: OSError | ValueError) -> DownloadFailed | DiskFull:
        name = self._final.name
        code = error.errno if isinstance(error, OSError) else None
        if code in (errno.ENOSPC, errno.EDQUOT):
            return DiskFull(self.path)
        if code == errno.ENAMETOOLONG:
            return DownloadFailed(name, "its name or folder is too long; choose a shorter folder")
        return DownloadFailed(
            name, f"the folder cannot be read or written ({getattr(error, 'strerror', None) or error})"
        )
