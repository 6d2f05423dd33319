"""Proves that a file is as long as its header says."""

from .errors import GgufTruncated
from .header import Header
from .source import ByteSource


def check_complete(header: Header, source: ByteSource) -> None:
    """Raise GgufTruncated when `source` ends before the last tensor of `header` does."""
    if source.size_bytes < header.needed_bytes:
        raise GgufTruncated(source.path, header.needed_bytes, source.size_bytes)
