"""Reads metadata values: scalars and short arrays into Python, everything long left in the file."""

import struct

from .allowance import Allowance, InvalidValue
from .cursor import Cursor
from .header import ArraySummary, MetadataValue, ValueType

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
_ARRAY_HEAD = struct.Struct("<IQ")

SHORT_ARRAY = 1024  # elements, one a layer for instance; longer arrays are vocabularies
_LONG_TEXT_BYTES = 2**20  # chat templates are some 10 KB, an embedded licence some 100 KB


class ValueReader:
    """Reads values at a cursor, within one header's allowance.

    `garbled` tells whether a string since the last `read` was no UTF-8; its bad bytes became U+FFFD.
    """

    def __init__(self, cursor: Cursor, allowance: Allowance) -> None:
        self._cursor = cursor
        self._allowance = allowance
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
        if length <= _LONG_TEXT_BYTES and self._allowance.affords_texts(1, length):
            return self.text(length)
        summary = ArraySummary(ValueType.UINT8, length, self._cursor.position)
        self._cursor.skip(length)
        return summary

    def _array(self) -> MetadataValue:
        type_number, length = (int(number) for number in self._cursor.unpack(_ARRAY_HEAD))
        if type_number == ValueType.STRING:
            return self._string_array(length)
        if type_number == ValueType.ARRAY:
            raise InvalidValue("it holds a list of lists, which no engine reads")
        layout = _layout(type_number)
        if length <= SHORT_ARRAY and self._allowance.affords_numbers(length):
            return self._cursor.unpack(struct.Struct(f"<{length}{layout.format[-1]}"))
        summary = ArraySummary(ValueType(type_number), length, self._cursor.position)
        self._cursor.skip(length * layout.size)
        return summary

    def _string_array(self, length: int) -> MetadataValue:
        self._allowance.require_walk(length)
        start = self._cursor.position
        self._cursor.skip_strings(length)
        end = self._cursor.position
        is_short = length <= SHORT_ARRAY and end - start <= _LONG_TEXT_BYTES
        if not is_short or not self._allowance.affords_texts(length, end - start):
            return ArraySummary(ValueType.STRING, length, start)
        self._cursor.position = start
        return tuple(self.text(self._cursor.length()) for _ in range(length))


def _layout(type_number: int) -> struct.Struct:
    layout = _SCALARS.get(type_number)
    if layout is None:
        raise InvalidValue(f"it holds a value of type {type_number}, which does not exist")
    return layout
