"""Bytes of a model's weights on each device (llama.cpp: llama-model-loader.cpp, create_tensor; ggml-alloc.c)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from quern.fit.room import HOST
from quern.fit.shape.architecture import names
from quern.fit.shape.model_shape import ModelShape
from quern.gguf import ModelHeader, TensorInfo
from quern.spec import ExtraBuffers, LoadSettings

from .buffer_type import CpuKernels, aligned, device_bytes, packed_bytes, stops_engine
from .offload import DeviceMemory, memory_of
from .placement import Placement
from .tensor_role import Home, TensorRole, Use, role_of

_TABLE, _OUTPUT = "token_embd.weight", "output.weight"
# Without output weights these have no output at all; all others use the embedding table once more (src/models/*.cpp).
_WITHOUT_OUTPUT = names(
    "bert jina-bert-v2 jina-bert-v3 nomic-bert nomic-bert-moe neo-bert eurobert modern-bert wavtokenizer-dec eagle3"
)
# These make their output before their embedding table, and so do not find that it is there already.
_DUPLICATES_TABLE = frozenset({"gemma3n", "gemma4"})


@dataclass(frozen=True, slots=True)
class WeightBytes:
    """Bytes of weights on one device. `mapped` of them are pages of the file, which the system may drop and read
    again: they must be there for speed, but nothing fails without them. `largest` is the largest matrix among them.
    """

    total: int = 0
    mapped: int = 0
    largest: int = 0


@dataclass(slots=True)
class _Group:
    """Tensors that always lie together: `plain` bytes as they are in the file, else `packed` for CPU kernels."""

    plain: int = 0
    packed: int = 0
    stays_plain: int = 0
    largest: int = 0
    on_device: dict[DeviceMemory, int] = field(default_factory=dict[DeviceMemory, int])

    def add(self, tensor: TensorInfo, use: Use, kernels: CpuKernels, memories: Iterable[DeviceMemory]) -> None:
        plain = aligned(tensor.nbytes)
        packed = packed_bytes(tensor, use, kernels)
        self.plain += plain
        if packed is None:
            self.stays_plain += plain
        else:
            self.packed += aligned(packed)
        if use is not Use.OTHER:
            self.largest = max(self.largest, tensor.nbytes)
        for memory in memories:
            self.on_device[memory] = self.on_device.get(memory, 0) + device_bytes(tensor, memory)


class _Scale:
    """Adds up what is put on one device: a GPU's memory, or the host's, where weights may be packed and mapped."""

    __slots__ = ("_largest", "_maps", "_memory", "_packed", "_packs", "_plain")

    def __init__(self, memory: DeviceMemory | None, *, packs: bool = False, maps: bool = False) -> None:
        self._memory, self._packs, self._maps = memory, packs, maps
        self._plain = self._packed = self._largest = 0

    def put(self, group: _Group) -> None:
        if self._memory is not None:
            self._plain += group.on_device.get(self._memory, 0)
        elif self._packs:
            self._plain += group.stays_plain
            self._packed += group.packed
        else:
            self._plain += group.plain
        self._largest = max(self._largest, group.largest)

    def weighed(self) -> WeightBytes:
        return WeightBytes(self._plain + self._packed, self._plain if self._maps else 0, self._largest)


class WeightTable:
    """One model's weights, summed up so that each placement costs a few additions a layer. Immutable once made."""

    def __init__(
        self, tensors: Iterable[TensorInfo], shape: ModelShape, kernels: CpuKernels, memories: Iterable[DeviceMemory]
    ) -> None:
        """Sum up `tensors`, named as a model of `shape` names them; `memories` are those of GPUs that may hold any."""
        self._shape, self._kernels, self._memories = shape, kernels, tuple(set(memories))
        self._input, self._output, self._every = _Group(), _Group(), _Group()
        self._bodies = [_Group() for _ in shape.layers]
        self._experts = [_Group() for _ in shape.layers]
        self._tied = _Group()
        by_name = {tensor.name: tensor for tensor in tensors}
        self._is_doubled = shape.architecture in _DUPLICATES_TABLE
        self._can_pack = True
        for name, tensor in by_name.items():
            self._add(tensor, role_of(name, shape.architecture))
        table = by_name.get(_TABLE)
        if table is not None and _OUTPUT not in by_name and shape.architecture not in _WITHOUT_OUTPUT:
            self._tied.add(table, Use.MULTIPLIED, kernels, self._memories)

    def on(self, placement: Placement, settings: LoadSettings) -> dict[str, WeightBytes]:
        """Return the bytes on each device of `placement`, the host first."""
        pinned = any(memory_of(device).has_pinned for device in placement.devices)
        packs = settings.extra_buffers is ExtraBuffers.ALLOWED and not pinned and self._can_pack
        scales = {device.name: _Scale(memory_of(device)) for device in placement.devices}
        host = scales[HOST] = _Scale(None, packs=packs, maps=settings.mmap)
        host.put(self._input)
        output = scales[placement.output]
        output.put(self._output)
        if output is not host or (packs and self._tied.packed) or (self._is_doubled and not settings.mmap):
            output.put(self._tied)
        n_cpu_moe = placement.n_cpu_moe_layers
        for il, device in enumerate(placement.layers):
            scale = scales[device]
            scale.put(self._bodies[il])
            (host if il < n_cpu_moe else scale).put(self._experts[il])
        for device in dict.fromkeys(placement.layers):
            scales[device].put(self._every)
        return {HOST: host.weighed(), **{name: scale.weighed() for name, scale in scales.items()}}

    def _add(self, tensor: TensorInfo, role: TensorRole) -> None:
        group = self._group(role)
        if group is None:
            return
        group.add(tensor, role.use, self._kernels, self._memories)
        if role.use is Use.MULTIPLIED and stops_engine(tensor, self._kernels):
            self._can_pack = False

    def _group(self, role: TensorRole) -> _Group | None:
        """Where a tensor is counted, None for one that llama.cpp leaves in the file."""
        match role.home:
            case Home.INPUT:
                return self._input
            case Home.OUTPUT:
                return self._output
            case Home.EVERY_LAYER:
                return self._every
            case Home.UNUSED:
                return None
            case Home.LAYER:
                layer = min(role.layer, self._shape.n_layer_all - 1)
                if self._shape.layers[layer].is_nextn and self._shape.n_layer > 0:
                    return None
                return (self._experts if role.use is Use.EXPERTS else self._bodies)[layer]


def weights_by_device(
    model: ModelHeader, shape: ModelShape, placement: Placement, settings: LoadSettings, kernels: CpuKernels
) -> dict[str, WeightBytes]:
    """Return the bytes of `model` on each device of `placement`, the host first.

    For one answer; a `WeightTable` is quicker for many.
    """
    memories = tuple(memory_of(device) for device in placement.devices)
    return WeightTable(model.tensors, shape, kernels, memories).on(placement, settings)
