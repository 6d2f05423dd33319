"""The headers of all files of one model, taken together."""

from dataclasses import dataclass
from pathlib import Path

from quern.gguf.file.shard import find_shards
from quern.gguf.file.source import ByteSource, FileSource
from quern.gguf.file.split import check_parts

from .header import Header, TensorInfo
from .reader import read_header


@dataclass(frozen=True, slots=True)
class ModelHeader:
    """One model's headers, in the order of its files; the first one carries the metadata."""

    shards: tuple[Header, ...]

    @property
    def first(self) -> Header:
        """The header with the model's metadata."""
        return self.shards[0]

    @property
    def tensors(self) -> tuple[TensorInfo, ...]:
        """The tensors of all files."""
        return tuple(tensor for header in self.shards for tensor in header.tensors)

    @property
    def size_bytes(self) -> int:
        """The size of all files together."""
        return sum(header.size_bytes for header in self.shards)


def read_model_header(path: Path) -> ModelHeader:
    """Return the headers of the model at `path`, all its shards, which belong together.

    Whether the tensor data is all there is not looked at (see `check_complete`). Raises quern.gguf's errors: those of
    `read_header`, FileUnreadable, NotFirstShard, ShardMissing, ShardsDisagree.
    """
    paths = find_shards(path)
    headers: list[Header] = []
    for shard in paths:
        with FileSource(shard) as source:
            headers.append(read_header(source))
            source.check_unchanged()
    check_parts(paths, headers)
    return ModelHeader(tuple(headers))


def read_model_header_from(*sources: ByteSource) -> ModelHeader:
    """Return the headers in `sources`, the model's files in their order. Raises like `read_model_header`."""
    headers = tuple(read_header(source) for source in sources)
    check_parts([source.path for source in sources], headers)
    return ModelHeader(headers)
