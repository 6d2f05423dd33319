"""Bytes of LoRA adapters on each device (llama.cpp: src/llama-adapter.cpp)."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from quern.fit.shape.model_shape import ModelShape
from quern.gguf import ModelHeader, TensorInfo
from quern.spec import LoadSettings

from .buffer_type import CpuKernels
from .offload import DeviceMemory
from .placement import Placement
from .weights import WeightTable

_NO_KERNELS = CpuKernels(frozenset())


class AdapterTable:
    """The matrices of all adapters; each lies where the weights lie that it changes, never packed, never mapped."""

    def __init__(self, adapters: Iterable[ModelHeader], shape: ModelShape, memories: Iterable[DeviceMemory]) -> None:
        memories = tuple(memories)
        self._tables = [WeightTable(_named_by_base(adapter), shape, _NO_KERNELS, memories) for adapter in adapters]

    def on(self, placement: Placement, settings: LoadSettings) -> dict[str, int]:
        """Return the bytes on each device that holds some."""
        sums: dict[str, int] = {}
        for table in self._tables:
            for device, found in table.on(placement, settings).items():
                sums[device] = sums.get(device, 0) + found.total
        return sums


def _named_by_base(adapter: ModelHeader) -> Iterator[TensorInfo]:
    """Name each matrix as part of the tensor that it changes: "blk.0.attn_q.weight.lora_a" is "blk.0.attn_q.lora_a"."""
    for tensor in adapter.tensors:
        base, _, part = tensor.name.rpartition(".")
        if part in ("lora_a", "lora_b"):
            yield replace(tensor, name=f"{base.rpartition('.')[0]}.{part}")
