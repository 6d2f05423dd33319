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

from quern.gguf.errors import GgufDamaged, GgufUnsupported, NotGguf
from quern.gguf.file.foreign import HEAD_BYTES, name_foreign
from quern.gguf.file.source import ByteSource

from .allowance import Allowance, InvalidValue
from .cursor import Cursor
from .header import Header, MetadataValue
from .tensor_list import TensorReader
from .value import ValueReader

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_METADATA = 2**14  # real models have a hundred
_MOST_TENSORS = 2**16  # real models have a few thousand at most
_LONGEST_KEY_BYTES = 1024
_DEFAULT_ALIGNMENT = 32
_UINT32 = struct.Struct("<I")
_COUNTS = struct.Struct("<QQ")

Metadata = dict[str, MetadataValue]


def read_header(source: ByteSource) -> Header:
    """Return the header of `source`, in few and growing reads, without the tensor data.

    Never takes more than allowance.MEMORY_BOUND_BYTES, whatever the header claims.

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
    _check_count(n_tensors, _MOST_TENSORS, "tensors")
    _check_count(n_metadata, _MOST_METADATA, "metadata entries")
    allowance = Allowance()
    metadata, garbled = _read_metadata(cursor, allowance, n_metadata)
    alignment = _alignment(metadata)
    tensors = TensorReader(cursor, allowance).read(n_tensors, alignment)
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
    head = cursor.peek(HEAD_BYTES)
    if not head.startswith(_MAGIC):
        raise NotGguf(source.path, name_foreign(head, source.size_bytes))
    cursor.skip(len(_MAGIC))
    version = int(cursor.unpack(_UINT32)[0])
    if version not in _VERSIONS:
        # A big-endian file keeps the magic's order and swaps the version's (llama.cpp, ggml/src/gguf.cpp).
        is_swapped = version & 0xFFFF == 0 and version != 0
        raise GgufUnsupported(source.path, "big-endian numbers" if is_swapped else f"version {version}")
    return version


def _check_count(count: int, most: int, what: str) -> None:
    if count > most:
        raise InvalidValue(f"its header claims {count:,} {what}")


def _read_metadata(cursor: Cursor, allowance: Allowance, count: int) -> tuple[Metadata, tuple[str, ...]]:
    """Return the metadata and the keys whose text is no UTF-8."""
    values = ValueReader(cursor, allowance)
    metadata: Metadata = {}
    garbled: list[str] = []
    for _ in range(count):
        length = cursor.length()
        if length > _LONGEST_KEY_BYTES:
            raise InvalidValue(f"a key of its metadata is {length:,} bytes long")
        if not length:
            raise InvalidValue("a key of its metadata is empty")
        allowance.require_name(length)
        key = values.text(length)
        if key in metadata:
            raise InvalidValue(f'its metadata holds "{key}" twice')
        metadata[key] = values.read(int(cursor.unpack(_UINT32)[0]))
        if values.garbled:
            garbled.append(key)
    return metadata, tuple(garbled)


def _alignment(metadata: Metadata) -> int:
    alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
    if not isinstance(alignment, int) or isinstance(alignment, bool) or alignment <= 0 or alignment & (alignment - 1):
        raise InvalidValue("its alignment is not a power of two")
    return int(alignment)
