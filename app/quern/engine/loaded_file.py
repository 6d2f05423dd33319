"""Watches the files of a loaded model: one that is written over would fault under the running kernels."""

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from quern.gguf import FileUnreadable, reason_of

from .errors import ModelFileChanged


class LoadedFiles:
    """Owns an open descriptor of every file of a model, and how each was when the model was loaded.

    Weights are mapped, not read: a file that is shortened or written over changes them in memory, or takes the process
    down (SIGBUS). A deleted or replaced file does no harm; what is open stays as it was. A context manager.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """Open every file. Raises gguf's FileUnreadable."""
        self._descriptors: dict[int, Path] = {}
        self._states: dict[int, tuple[int, int]] = {}
        for path in paths:
            try:
                self._descriptors[os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))] = path
            except OSError as error:
                self.close()
                raise FileUnreadable(path, reason_of(error)) from error
        self._states = {descriptor: _state(descriptor) for descriptor in self._descriptors}

    def check(self) -> None:
        """Raise ModelFileChanged when a file is no longer as it was (about a microsecond a file)."""
        for descriptor, state in self._states.items():
            if _state(descriptor) != state:
                raise ModelFileChanged(self._descriptors[descriptor])

    def close(self) -> None:
        """Close the descriptors; idempotent."""
        while self._descriptors:
            os.close(self._descriptors.popitem()[0])
        self._states = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


def _state(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_size, status.st_mtime_ns
