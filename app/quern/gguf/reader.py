"""Reads a GGUF header.

The layout, all little-endian (GGUF specification, versions 2 and 3):

    magic "GGUF" | version u32 | n_tensors u64 | n_metadata u64
    n_metadata x (key: string | type u32 | value)
    n_tensors  x (name: string | n_dimensions u32 | dimensions u64... | type u32 | offset u64)
    padding to general.alignment | tensor data

where a string is (length u64 | bytes) and an array value (element type u32 | length u64 | elements).
"""

import struct
from types import MappingProxyType

from .cursor import Cursor
from .errors import GgufDamaged, GgufUnsupported, NotGguf
from .foreign import HEAD_BYTES, name_foreign
from .header import Header, MetadataValue
from .source import ByteSource
from .tensor_list import read_tensors
from .value import InvalidValue, ValueReader

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_ENTRIES = 2**16  # metadata or tensors; real models have a few thousand at most
_LONGEST_KEY_BYTES = 1024
_DEFAULT_ALIGNMENT = 32
_UINT32 = struct.Struct("<I")
_COUNTS = struct.Struct("<QQ")

Metadata = dict[str, MetadataValue]


def read_header(source: ByteSource) -> Header:
    """Return the header of `source`; reads no tensor data, keeps at most about 16 MB of metadata.

    Raises NotGguf, GgufUnsupported, GgufDamaged, GgufTruncated (when the header itself is cut) or FileUnreadable.
    """
    try:
        return _read(source)
    except InvalidValue as error:
        raise GgufDamaged(source.path, str(error)) from error


def _read(source: ByteSource) -> Header:
    cursor = Cursor(source)
    version = _read_version(source, cursor)
    n_tensors, n_metadata = (int(count) for count in cursor.unpack(_COUNTS))
    _check_count(n_tensors, "tensors")
    _check_count(n_metadata, "metadata entries")
    values = ValueReader(cursor)
    metadata, garbled = _read_metadata(cursor, values, n_metadata)
    alignment = _alignment(metadata)
    tensors = read_tensors(cursor, values, n_tensors, alignment)
    return Header(
        version=version,
        metadata=MappingProxyType(metadata),
        tensors=tensors,
        data_offset=cursor.position + -cursor.position % alignment,
        alignment=alignment,
        size_bytes=source.size_bytes,
        garbled_keys=garbled,
    )


def _read_version(source: ByteSource, cursor: Cursor) -> int:
    head = source.read_at(0, HEAD_BYTES)
    if not head.startswith(_MAGIC):
        raise NotGguf(source.path, name_foreign(head, source.size_bytes))
    cursor.skip(len(_MAGIC))
    version = int(cursor.unpack(_UINT32)[0])
    if version not in _VERSIONS:
        # A big-endian file keeps the magic's order and swaps the version's (llama.cpp, ggml/src/gguf.cpp).
        is_swapped = version & 0xFFFF == 0 and version != 0
        raise GgufUnsupported(source.path, "big-endian numbers" if is_swapped else f"version {version}")
    return version


def _check_count(count: int, what: str) -> None:
    if count > _MOST_ENTRIES:
        raise InvalidValue(f"its header claims {count:,} {what}")


def _read_metadata(cursor: Cursor, values: ValueReader, count: int) -> tuple[Metadata, tuple[str, ...]]:
    """Return the metadata and the keys whose text is no UTF-8."""
    metadata: Metadata = {}
    garbled: list[str] = []
    for _ in range(count):
        length = cursor.length()
        if length > _LONGEST_KEY_BYTES:
            raise InvalidValue(f"a key of its metadata is {length:,} bytes long")
        key = values.text(length)
        if key in metadata:
            raise InvalidValue(f'its metadata holds "{key}" twice')
        metadata[key] = values.read(int(cursor.unpack(_UINT32)[0]))
        if values.garbled:
            garbled.append(key)
    return metadata, tuple(garbled)


def _alignment(metadata: Metadata) -> int:
    alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
    if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
        raise InvalidValue("its alignment is not a power of two")
    return int(alignment)
