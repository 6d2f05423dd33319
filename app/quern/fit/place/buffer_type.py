"""How large a tensor is in memory, which depends on where it lies: packed for special CPU kernels, or padded for a GPU.

Packing happens only where the installed build has the kernels: its own line of features says so.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from quern.gguf import GgmlType, TensorInfo

from .offload import DeviceMemory
from .tensor_role import Use

HOST_ALIGNMENT = 32  # ggml-impl.h, TENSOR_ALIGNMENT
_FEATURE = re.compile(r"(\w+) = 1\b")
_FLOATS = frozenset({"F32", "F16", "BF16", "F64"})

# Bytes that AMX adds to each block (ggml-cpu/amx/mmq.cpp, get_row_size), and what a row must be a multiple of.
_AMX_EXTRA_BYTES = {"Q4_0": 0, "Q4_1": 0, "Q8_0": 4, "Q4_K": 4, "Q5_K": 4, "Q6_K": 0, "IQ4_XS": 2, "F16": 0}
_AMX_COLUMNS, _AMX_F16_ROW = 32, 16


@dataclass(frozen=True, slots=True)
class CpuKernels:
    """Which special kernels the engine's CPU code has; `features` are those that its line says with 1."""

    features: frozenset[str]

    @property
    def has_amx(self) -> bool:
        """Whether weights are packed for Intel AMX (ggml-cpu.cpp, ggml_backend_cpu_get_extra_buffer_types)."""
        return {"AMX_INT8", "AVX512_VNNI"} <= self.features


def kernels_of(system_info: str) -> CpuKernels:
    """Read the engine's line of features ("... | AVX2 = 1 | REPACK = 1")."""
    return CpuKernels(frozenset(_FEATURE.findall(system_info)))


def packed_bytes(tensor: TensorInfo, use: Use, kernels: CpuKernels) -> int | None:
    """Return the bytes of `tensor` laid out for special kernels, AMX before others; None where it stays as it is.

    Mirrors supports_op and get_alloc_size of ggml-cpu/amx/amx.cpp and ggml-cpu/repack.cpp.
    """
    if use is Use.OTHER:
        return None
    if kernels.has_amx and use is Use.MULTIPLIED and _is_for_amx(tensor):
        return _amx_bytes(tensor)
    if "REPACK" in kernels.features and _n_dimensions(tensor) == (2 if use is Use.MULTIPLIED else 3):
        n_rows = _REPACKED.get(tensor.type.name, _never)(kernels.features)
        if n_rows and tensor.dimensions[1] % n_rows == 0:
            return tensor.nbytes
    return None


def stops_engine(tensor: TensorInfo, kernels: CpuKernels) -> bool:
    """Whether a multiplied tensor, packed for AMX, ends the process (llama.cpp 0.3.36, ggml_backend_sched_split_graph).

    Latent attention multiplies a stack of matrices with what no AMX kernel takes. A load then does without packing.
    """
    return kernels.has_amx and _n_dimensions(tensor) > 2 and _is_for_amx(tensor)


def device_bytes(tensor: TensorInfo, memory: DeviceMemory) -> int:
    """Return the bytes of `tensor` in a GPU's `memory`, its alignment included."""
    n_bytes = tensor.nbytes
    rest = tensor.dimensions[0] % memory.row_elements if tensor.dimensions else 0
    if rest and tensor.type.name not in _FLOATS and tensor.type.block_elements > 1:
        n_bytes += _row_bytes(tensor.type, memory.row_elements - rest)
    return aligned(n_bytes, memory.alignment)


def aligned(n_bytes: int, alignment: int = HOST_ALIGNMENT) -> int:
    """Return `n_bytes` filled up to a multiple of `alignment`."""
    return -(-n_bytes // alignment) * alignment


def _is_for_amx(tensor: TensorInfo) -> bool:
    element = tensor.type
    if element.name not in _AMX_EXTRA_BYTES or len(tensor.dimensions) < 2:
        return False
    row = _AMX_F16_ROW if element.name == "F16" else element.block_elements
    return tensor.dimensions[1] % _AMX_COLUMNS == 0 and tensor.dimensions[0] % row == 0


def _amx_bytes(tensor: TensorInfo) -> int:
    """A quantized tensor of three dimensions is packed as if it had two (ggml_backend_amx_get_alloc_size)."""
    element = tensor.type
    if element.name == "F16":
        return tensor.nbytes
    n_row, n_rows = tensor.dimensions[:2]
    return n_rows * (n_row // element.block_elements) * (element.block_bytes + _AMX_EXTRA_BYTES[element.name])


def _n_dimensions(tensor: TensorInfo) -> int:
    """ggml_n_dims: without ones at the end."""
    n = len(tensor.dimensions)
    while n > 1 and tensor.dimensions[n - 1] == 1:
        n -= 1
    return n


def _row_bytes(element: GgmlType, n_elements: int) -> int:
    return n_elements // element.block_elements * element.block_bytes


Features = frozenset[str]


def _never(_features: Features) -> int:
    return 0


def _on(arm_rows: int, x86: str = "") -> Callable[[Features], int]:
    """Rows that are interleaved: 8 with the x86 feature, `arm_rows` with NEON's, 0 for none."""

    def rows(features: Features) -> int:
        if x86 in features:
            return 8
        return arm_rows if "NEON" in features and features & {"MATMUL_INT8", "DOTPROD"} else 0

    return rows


# ggml-cpu/repack.cpp, ggml_repack_get_optimal_repack_type.
_REPACKED: dict[str, Callable[[Features], int]] = {
    "Q4_0": _on(4, "AVX2"),
    "Q4_K": _on(8, "AVX2"),
    "Q5_K": _on(8),
    "Q6_K": _on(8),
    "Q2_K": _on(0, "AVX512"),
    "IQ4_NL": _on(4, "AVX2"),
    "MXFP4": _on(4, "AVX2"),
    "Q8_0": _on(4),
    "Q1_0": _on(4),
}
