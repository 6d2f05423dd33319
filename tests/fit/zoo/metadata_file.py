"""Writes a GGUF file that has metadata and, if asked, tensor infos over a file without data (sparse)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import gguf
from gguf import GGMLQuantizationType, GGUFValueType, GGUFWriter

Value = bool | int | float | str | Sequence[int] | Sequence[float] | Sequence[bool] | Sequence[str]


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor to declare: `dimensions` innermost first, as GGUF counts them; `type_name` as gguf spells it."""

    name: str
    dimensions: tuple[int, ...]
    type_name: str = "F32"

    @property
    def nbytes(self) -> int:
        """How many bytes its data would take."""
        n_elements, n_bytes = gguf.GGML_QUANT_SIZES[GGMLQuantizationType[self.type_name]]
        total = 1
        for dimension in self.dimensions:
            total *= dimension
        return total // n_elements * n_bytes


def write_metadata_file(path: Path, metadata: Mapping[str, Value], tensors: Sequence[TensorSpec] = ()) -> Path:
    """Write `metadata` (whole numbers as UINT32, but for qwen4exp's tables) and `tensors`; return `path`.

    The tensors' data are a hole in the file: it has its full size and takes no room.
    """
    architecture = metadata["general.architecture"]
    assert isinstance(architecture, str)
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(path, architecture)
    for key, value in metadata.items():
        if key != "general.architecture":
            _add(writer, key, value)
    for tensor in tensors:
        _add_tensor(writer, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    if tensors:
        head = -(-path.stat().st_size // 32) * 32
        with path.open("r+b") as file:
            file.truncate(head + sum(-(-tensor.nbytes // 32) * 32 for tensor in tensors))
    return path


def _add(writer: GGUFWriter, key: str, value: Value) -> None:
    if isinstance(value, str | bool) or not isinstance(value, Sequence):
        writer.add_key_value(key, value, _type_of(key, value))
        return
    writer.add_key_value(key, list(value), GGUFValueType.ARRAY, _type_of(key, value[0]))


def _type_of(key: str, value: object) -> GGUFValueType:
    match value:
        case bool():
            return GGUFValueType.BOOL
        case int():
            return GGUFValueType.UINT64 if ".ple.layer_" in key or ".ple.head_" in key else GGUFValueType.UINT32
        case float():
            return GGUFValueType.FLOAT32
        case _:
            return GGUFValueType.STRING


def _add_tensor(writer: GGUFWriter, tensor: TensorSpec) -> None:
    writer.add_tensor_info(
        tensor.name,
        tuple(reversed(tensor.dimensions)),
        np.dtype(np.float32),
        tensor.nbytes,
        raw_dtype=GGMLQuantizationType[tensor.type_name],
    )
