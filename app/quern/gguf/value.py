"""Reads metadata values: scalars and short arrays into Python, everything long left in the file."""

import struct

from .cursor import Cursor
from .header import ArraySummary, MetadataValue, Scalar, ValueType

_SCALARS: dict[int, struct.Struct] = {
    ValueType.UINT8: struct.Struct("<B"),
    ValueType.INT8: struct.Struct("<b"),
    ValueType.UINT16: struct.Struct("<H"),
    ValueType.INT16: struct.Struct("<h"),
    ValueType.UINT32: struct.Struct("<I"),
    ValueType.INT32: struct.Struct("<i"),
    ValueType.FLOAT32: struct.Struct("<f"),
    ValueType.BOOL: struct.Struct("<?"),
    ValueType.UINT64: struct.Struct("<Q"),
    ValueType.INT64: struct.Struct("<q"),
    ValueType.FLOAT64: struct.Struct("<d"),
}

_SHORT_ARRAY = 1024  # elements; longer arrays are vocabularies
_LONG_STRING_BYTES = 4 * 2**20  # chat templates are some 10 KB, an embedded licence some 100 KB
_KEPT_BYTES = 16 * 2**20  # what one header may keep in memory
_WALKED_STRINGS = 2**23  # eight times the largest vocabulary with its merges; walking them takes about a second


class InvalidValue(Exception):
    """A value that no GGUF holds; the message is a clause without a full stop."""


class ValueReader:
    """Owns what may still be spent on one header: bytes kept in memory, strings walked over.

    `garbled` tells whether a string since the last `read` was no UTF-8; its bad bytes became U+FFFD.
    """

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._keepable_bytes = _KEPT_BYTES
        self._walkable_strings = _WALKED_STRINGS
        self.garbled = False

    def read(self, type_number: int) -> MetadataValue:
        """Return the value of type `type_number` at the cursor.

        Raises InvalidValue for a type that does not exist, GgufTruncated, GgufDamaged.
        """
        self.garbled = False
        if type_number == ValueType.ARRAY:
            return self._array()
        if type_number == ValueType.STRING:
            return self._string()
        return self._cursor.unpack(_layout(type_number))[0]

    def text(self, length: int) -> str:
        """Return the next `length` bytes as text; bytes that are no UTF-8 become U+FFFD and set `garbled`."""
        data = self._cursor.take(length)
        try:
            return data.decode()
        except UnicodeDecodeError:
            self.garbled = True
            return data.decode(errors="replace")

    def _string(self) -> str | ArraySummary:
        length = self._cursor.length()
        if length > min(_LONG_STRING_BYTES, self._keepable_bytes):
            summary = ArraySummary(ValueType.UINT8, length, self._cursor.position)
            self._cursor.skip(length)
            return summary
        self._keepable_bytes -= length
        return self.text(length)

    def _array(self) -> MetadataValue:
        type_number = int(self._cursor.unpack(_SCALARS[ValueType.UINT32])[0])
        length = self._cursor.length()
        if type_number == ValueType.STRING:
            return self._string_array(length)
        layout = _layout(type_number)
        summary = ArraySummary(ValueType(type_number), length, self._cursor.position)
        if length <= _SHORT_ARRAY:
            return self._cursor.unpack(struct.Struct(f"<{length}{layout.format[-1]}"))
        self._cursor.skip(length * layout.size)
        return summary

    def _string_array(self, length: int) -> MetadataValue:
        if length > self._walkable_strings:
            raise InvalidValue(f"it claims a list of {length:,} texts")
        self._walkable_strings -= length
        start = self._cursor.position
        self._cursor.skip_strings(length)
        end = self._cursor.position
        if length > _SHORT_ARRAY or end - start > min(_LONG_STRING_BYTES, self._keepable_bytes):
            return ArraySummary(ValueType.STRING, length, start)
        self._keepable_bytes -= end - start
        self._cursor.position = start
        items: list[Scalar] = [self.text(self._cursor.length()) for _ in range(length)]
        return tuple(items)


def _layout(type_number: int) -> struct.Struct:
    layout = _SCALARS.get(type_number)
    if layout is None:
        raise InvalidValue(f"it holds a value of type {type_number}, which does not exist")
    return layout
