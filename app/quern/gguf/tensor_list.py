"""Reads and proves the list of tensors: shapes, types, and that their data follow each other without gaps."""

import struct
from dataclasses import dataclass

from .cursor import Cursor
from .ggml_type import GGML_TYPES, REMOVED_TYPES, GgmlType
from .header import TensorInfo
from .value import InvalidValue, ValueReader

_MAX_DIMENSIONS = 4  # ggml.h, GGML_MAX_DIMS
_MAX_ELEMENTS = 2**63 - 1
_MOST_BYTES = 2**48  # 256 TiB of tensor data
_LONGEST_NAME_BYTES = 1024
_UINT32 = struct.Struct("<I")
_TYPE_AND_OFFSET = struct.Struct("<IQ")


@dataclass(slots=True)
class _Layout:
    """Where the next tensor's data must begin, counted from the start of the tensor data."""

    alignment: int
    next_offset: int = 0

    def place(self, name: str, offset: int, nbytes: int) -> None:
        if offset != self.next_offset:
            raise InvalidValue(f'the data of tensor "{name}" are said to be at {offset:,} and not {self.next_offset:,}')
        end = offset + nbytes
        if end > _MOST_BYTES:
            raise InvalidValue(f'tensor "{name}" is said to take {nbytes:,} bytes')
        self.next_offset = end + -end % self.alignment


def read_tensors(cursor: Cursor, values: ValueReader, count: int, alignment: int) -> tuple[TensorInfo, ...]:
    """Return the `count` tensors at the cursor, as llama.cpp accepts them (ggml/src/gguf.cpp).

    Raises InvalidValue, GgufTruncated, GgufDamaged.
    """
    layout = _Layout(alignment)
    tensors = tuple(_read_tensor(cursor, values, layout) for _ in range(count))
    if len({tensor.name for tensor in tensors}) < count:
        raise InvalidValue("two of its tensors have the same name")
    return tensors


def _read_tensor(cursor: Cursor, values: ValueReader, layout: _Layout) -> TensorInfo:
    length = cursor.length()
    if length > _LONGEST_NAME_BYTES:
        raise InvalidValue(f"the name of a tensor is {length:,} bytes long")
    name = values.text(length)
    dimensions = _read_dimensions(cursor, name)
    type_number, offset = (int(value) for value in cursor.unpack(_TYPE_AND_OFFSET))
    element_type = _element_type(name, type_number)
    tensor = TensorInfo(name, dimensions, element_type, offset, _nbytes(name, dimensions, element_type))
    layout.place(name, offset, tensor.nbytes)
    return tensor


def _read_dimensions(cursor: Cursor, name: str) -> tuple[int, ...]:
    count = int(cursor.unpack(_UINT32)[0])
    if count > _MAX_DIMENSIONS:
        raise InvalidValue(f'tensor "{name}" has {count:,} dimensions and not at most {_MAX_DIMENSIONS}')
    dimensions = tuple(cursor.length() for _ in range(count))
    n_elements = 1
    for dimension in dimensions:
        n_elements *= dimension
    if not 0 < n_elements <= _MAX_ELEMENTS:
        shape = " x ".join(f"{dimension:,}" for dimension in dimensions)
        raise InvalidValue(f'tensor "{name}" has the impossible shape {shape}')
    return dimensions


def _element_type(name: str, number: int) -> GgmlType:
    element_type = GGML_TYPES.get(number)
    if element_type is not None:
        return element_type
    if number in REMOVED_TYPES:
        raise InvalidValue(f'tensor "{name}" has the type {REMOVED_TYPES[number]}, which no engine reads any more')
    raise InvalidValue(f'tensor "{name}" has the type {number}, which does not exist or is newer than this program')


def _nbytes(name: str, dimensions: tuple[int, ...], element_type: GgmlType) -> int:
    row = dimensions[0] if dimensions else 1
    if row % element_type.block_elements:
        raise InvalidValue(f'tensor "{name}" has rows of {row:,} elements, which {element_type.name} cannot hold')
    n_elements = 1
    for dimension in dimensions:
        n_elements *= dimension
    return element_type.nbytes(n_elements)
