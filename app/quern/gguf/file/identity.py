"""A cheap name for a model's content: the same for every copy of it, another for any other model."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from .shard import find_shards
from .source import ByteSource, FileSource

_HEAD_BYTES = 512 * 1024  # the metadata that decides how a model computes stand before the vocabulary
_SAMPLES = 64
_SAMPLE_BYTES = 4096


def content_id(model: Path | ByteSource) -> str:
    """Return 32 hex digits that name the content of `model` (a path: with all its shards) in about a millisecond.

    It hashes the size, the first 512 KiB and 64 samples of 4 KiB spread over the rest. Equal files have equal ids, and
    a part that was overwritten or zeroed changes it; a few changed bytes may not, so it is no proof against tampering.

    Raises FileUnreadable, NotGguf (for a folder or a device), NotFirstShard or ShardMissing.
    """
    digest = sha256()
    if not isinstance(model, Path):
        _feed(digest.update, model)
        return digest.hexdigest()[:32]
    for path in find_shards(model):
        with FileSource(path) as source:
            _feed(digest.update, source)
    return digest.hexdigest()[:32]


def _feed(update: Callable[[bytes], None], source: ByteSource) -> None:
    """Give `update` the size, the head and the samples of `source`; the last sample is its end."""
    size = source.size_bytes
    update(size.to_bytes(8, "little"))
    update(source.read_at(0, _HEAD_BYTES))
    span = size - _HEAD_BYTES - _SAMPLE_BYTES
    if span <= 0:
        update(source.read_at(_HEAD_BYTES, _SAMPLE_BYTES))
        return
    for number in range(_SAMPLES):
        update(source.read_at(_HEAD_BYTES + span * number // (_SAMPLES - 1), _SAMPLE_BYTES))
