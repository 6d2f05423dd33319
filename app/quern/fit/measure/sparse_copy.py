"""Copies of headers that llama.cpp takes for whole model files: the header's bytes, then a hole of the right length.

[0 ... data_offset)          copied
[data_offset ... size_bytes)  a hole, which no dry run reads (llama-model.cpp, load_tensors: no_alloc)
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from quern.fit.errors import FitUnknown
from quern.gguf import ByteSource, read_header

from .system import make_sparse

_PIECE_BYTES = 1 << 20


class SparseCopy:
    """Owns a temporary folder with copies of a model's headers; gone when it is closed. A context manager.

    `path` is the first file's. They keep their names, because llama.cpp finds shards by them.
    """

    def __init__(self, *sources: ByteSource, folder: Path | None = None) -> None:
        """Read the headers of the model's files, in their order; `folder` is where the temporary one is made.

        Raises quern.gguf's errors of the sources, FitUnknown where the disk is full.
        """
        self._folder = TemporaryDirectory(prefix="quern-fit-", dir=folder, ignore_cleanup_errors=True)
        try:
            paths = [_copy(source, Path(self._folder.name)) for source in sources]
        except BaseException:
            self.close()
            raise
        self.path = paths[0]

    def close(self) -> None:
        """Remove the copies; idempotent."""
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


def _copy(source: ByteSource, folder: Path) -> Path:
    path = folder / source.path.name
    n_bytes = read_header(source).data_offset
    try:
        with path.open("xb") as file:
            make_sparse(file)
            for piece in _pieces(n_bytes):
                file.write(source.read_at(piece.start, len(piece)))
            file.truncate(source.size_bytes)
    except OSError as error:
        raise FitUnknown(f"its header could not be kept for a moment ({error.strerror or error})") from error
    return path


def _pieces(n_bytes: int) -> Sequence[range]:
    return [range(start, min(start + _PIECE_BYTES, n_bytes)) for start in range(0, n_bytes, _PIECE_BYTES)]
