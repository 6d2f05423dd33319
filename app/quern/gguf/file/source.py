"""Where header bytes come from: a file, memory, or anything else that can be read at an offset."""

import os
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Protocol, Self

from quern.gguf.errors import FileUnreadable, NotGguf

from .system import FileStamp, kind_of, open_for_reading, reason_of


class ByteSource(Protocol):
    """Bytes of a fixed size that can be read at any offset. `path` names them in errors."""

    @property
    def path(self) -> Path:
        """What to call these bytes in an error."""
        ...

    @property
    def size_bytes(self) -> int:
        """How many bytes there are."""
        ...

    def read_at(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`; fewer only at the end. Raises FileUnreadable."""
        ...


class BytesSource:
    """Owns bytes in memory."""

    def __init__(self, data: bytes, path: Path = Path("memory.gguf")) -> None:
        self._data = data
        self.path = path

    @property
    def size_bytes(self) -> int:
        """How many bytes there are."""
        return len(self._data)

    def read_at(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`."""
        return self._data[offset : offset + length]


class FileSource:
    """Owns an open file; a context manager. Reads are safe from any thread.

    Raises FileUnreadable, or NotGguf for a folder, a device or a pipe.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        try:
            status = path.stat()
            found = kind_of(status)
            if found is not None:
                raise NotGguf(path, found)
            self._stamp = FileStamp.of(status)
            self._file = open_for_reading(path)
            self._size_bytes = os.fstat(self._file.fileno()).st_size
        except (OSError, ValueError) as error:
            raise FileUnreadable(path, reason_of(error)) from error

    @property
    def size_bytes(self) -> int:
        """The file's size when it was opened."""
        return self._size_bytes

    def read_at(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`; raises FileUnreadable, also when the file became shorter."""
        wanted = max(0, min(length, self.size_bytes - offset))
        try:
            with self._lock:
                self._file.seek(offset)
                parts = [self._file.read(wanted)]
                while (missing := wanted - sum(map(len, parts))) and parts[-1]:
                    parts.append(self._file.read(missing))
        except OSError as error:
            raise FileUnreadable(self.path, reason_of(error)) from error
        data = b"".join(parts)
        if len(data) < wanted:
            raise FileUnreadable(self.path, "it became shorter while it was being read")
        return data

    def check_unchanged(self) -> None:
        """Raise FileUnreadable when the path no longer leads to the file that was opened, as it was then."""
        try:
            stamp = FileStamp.of(self.path.stat())
        except OSError as error:
            raise FileUnreadable(self.path, reason_of(error)) from error
        if stamp != self._stamp:
            raise FileUnreadable(self.path, "it changed while it was being read")

    def close(self) -> None:
        """Close the file; any number of times."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
