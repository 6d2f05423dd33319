"""Reads and proves the list of tensors: shapes, types, and that their data follow each other without gaps."""

import struct
from dataclasses import dataclass
from math import prod

from .allowance import Allowance, InvalidValue
from .cursor import Cursor
from .ggml_type import GGML_TYPES, REMOVED_TYPES, GgmlType
from .header import TensorInfo
from .value import ValueReader

_MOST_DIMENSIONS = 4  # ggml.h, GGML_MAX_DIMS
_MOST_ELEMENTS = 2**63 - 1
_MOST_BYTES = 2**48  # 256 TiB of tensor data
_LONGEST_NAME_BYTES = 63  # ggml.h, GGML_MAX_NAME without the closing zero
_UINT32 = struct.Struct("<I")
_TAILS = tuple(struct.Struct(f"<{n_dimensions}QIQ") for n_dimensions in range(_MOST_DIMENSIONS + 1))


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


class TensorReader:
    """Reads tensors at a cursor, each as llama.cpp accepts it (ggml/src/gguf.cpp, gguf_init_from_reader)."""

    def __init__(self, cursor: Cursor, allowance: Allowance) -> None:
        self._cursor = cursor
        self._allowance = allowance
        self._values = ValueReader(cursor, allowance)

    def read(self, count: int, alignment: int) -> tuple[TensorInfo, ...]:
        """Return the next `count` tensors. Raises InvalidValue, GgufTruncated, GgufDamaged."""
        layout = _Layout(alignment)
        tensors = tuple(self._read_tensor(layout) for _ in range(count))
        if len({tensor.name for tensor in tensors}) < count:
            raise InvalidValue("two of its tensors have the same name")
        return tensors

    def _read_tensor(self, layout: _Layout) -> TensorInfo:
        name = self._read_name()
        n_dimensions = int(self._cursor.unpack(_UINT32)[0])
        if n_dimensions > _MOST_DIMENSIONS:
            raise InvalidValue(f'tensor "{name}" has {n_dimensions:,} dimensions and not at most {_MOST_DIMENSIONS}')
        *dimensions, type_number, offset = map(int, self._cursor.unpack(_TAILS[n_dimensions]))
        element_type = _element_type(name, type_number)
        nbytes = _nbytes(name, dimensions, element_type)
        layout.place(name, offset, nbytes)
        return TensorInfo(name, tuple(dimensions), element_type, offset, nbytes)

    def _read_name(self) -> str:
        length = self._cursor.length()
        if length > _LONGEST_NAME_BYTES:
            raise InvalidValue(f"the name of a tensor is {length:,} bytes long and not at most {_LONGEST_NAME_BYTES}")
        self._allowance.require_name(length)
        self._allowance.require_tensor()
        return self._values.text(length)


def _element_type(name: str, number: int) -> GgmlType:
    element_type = GGML_TYPES.get(number)
    if element_type is not None:
        return element_type
    if number in REMOVED_TYPES:
        raise InvalidValue(f'tensor "{name}" has the type {REMOVED_TYPES[number]}, which no engine reads any more')
    raise InvalidValue(f'tensor "{name}" has the type {number}, which does not exist or is newer than this program')


def _nbytes(name: str, dimensions: list[int], element_type: GgmlType) -> int:
    n_elements = prod(dimensions)
    if not 0 < n_elements <= _MOST_ELEMENTS:
        shape = " x ".join(f"{dimension:,}" for dimension in dimensions)
        raise InvalidValue(f'tensor "{name}" has the impossible shape {shape}')
    row = dimensions[0] if dimensions else 1
    if row % element_type.block_elements:
        raise InvalidValue(f'tensor "{name}" has rows of {row:,} elements, which {element_type.name} cannot hold')
    return element_type.nbytes(n_elements)
