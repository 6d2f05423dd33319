"""What a GGUF header says: metadata, tensors, and where the tensor data begins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from .ggml_type import GgmlType


class ValueType(IntEnum):
    """Types of metadata values, by their number in the file (GGUF specification, gguf_metadata_value_type)."""

    UINT8 = 0
    INT8 = 1
    UINT16 = 2
    INT16 = 3
    UINT32 = 4
    INT32 = 5
    FLOAT32 = 6
    BOOL = 7
    STRING = 8
    ARRAY = 9
    UINT64 = 10
    INT64 = 11
    FLOAT64 = 12


@dataclass(frozen=True, slots=True)
class ArraySummary:
    """A value that was left in the file for its size: `length` elements from byte `offset` on.

    A very long string is summarised as its UINT8 bytes.
    """

    element_type: ValueType
    length: int
    offset: int


Scalar = bool | int | float | str
MetadataValue = Scalar | tuple[Scalar, ...] | ArraySummary


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One tensor: `dimensions` innermost first, `offset` counted from the header's `data_offset`, `nbytes` long."""

    name: str
    dimensions: tuple[int, ...]
    type: GgmlType
    offset: int
    nbytes: int

    @property
    def n_elements(self) -> int:
        """How many elements the tensor holds."""
        product = 1
        for dimension in self.dimensions:
            product *= dimension
        return product


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A whole header. `size_bytes` is that of the file; `garbled_keys` held bytes that are no UTF-8.

    The getters return None where the key is absent or of another type, so that a strange value never stops the rest.
    """

    version: int
    metadata: Mapping[str, MetadataValue]
    tensors: tuple[TensorInfo, ...]
    data_offset: int
    alignment: int
    size_bytes: int
    garbled_keys: tuple[str, ...] = field(default=())

    @property
    def needed_bytes(self) -> int:
        """The smallest file size that holds every tensor."""
        return self.data_offset + max((tensor.offset + tensor.nbytes for tensor in self.tensors), default=0)

    def string(self, key: str) -> str | None:
        """Return a string value."""
        value = self.metadata.get(key)
        return value if isinstance(value, str) else None

    def integer(self, key: str) -> int | None:
        """Return a whole number; a bool is none."""
        value = self.metadata.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def real(self, key: str) -> float | None:
        """Return a number, whole ones included, as float."""
        value = self.metadata.get(key)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def boolean(self, key: str) -> bool | None:
        """Return a bool."""
        value = self.metadata.get(key)
        return value if isinstance(value, bool) else None

    def strings(self, key: str) -> tuple[str, ...] | None:
        """Return a short array of strings; None also when it was left in the file."""
        value = self.metadata.get(key)
        if not isinstance(value, tuple):
            return None
        texts = tuple(item for item in value if isinstance(item, str))
        return texts if len(texts) == len(value) else None

    def integers(self, key: str) -> tuple[int, ...] | None:
        """Return a short array of whole numbers, bools being none; None also when it was left in the file."""
        value = self.metadata.get(key)
        if not isinstance(value, tuple):
            return None
        numbers = tuple(item for item in value if isinstance(item, int) and not isinstance(item, bool))
        return numbers if len(numbers) == len(value) else None

    def booleans(self, key: str) -> tuple[bool, ...] | None:
        """Return a short array of bools; None also when it was left in the file."""
        value = self.metadata.get(key)
        if not isinstance(value, tuple):
            return None
        flags = tuple(item for item in value if isinstance(item, bool))
        return flags if len(flags) == len(value) else None

    def array_length(self, key: str) -> int | None:
        """Return the number of elements of an array, read or left in the file."""
        match self.metadata.get(key):
            case tuple() as items:
                return len(items)
            case ArraySummary() as summary:
                return summary.length
            case _:
                return None
