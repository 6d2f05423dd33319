"""A model whose needs are plain arithmetic, on any devices, for everything that only asks an estimator."""

from dataclasses import dataclass, field

from tests.fit.forged import GIB, MIB, cpu, gpu, llama_shape

from quern.fit.buffer.settings_refused import SettingsRefused
from quern.fit.need import DeviceNeed, Needs
from quern.fit.place.placement import place
from quern.fit.report import Source
from quern.fit.room import HOST, Room, RoomKind
from quern.fit.shape.model_shape import ModelShape
from quern.hardware import EngineDevice
from quern.spec import FlashAttention, KvType, LoadSettings

_KV_PERCENT = {KvType.F16: 100, KvType.Q8_0: 53, KvType.Q4_0: 28}


@dataclass(kw_only=True)
class FakeEstimator:
    """Every layer takes `body` and `experts` bytes of weights, `cell` bytes a KV cell and `state` bytes a sequence.

    Three of four layers see only a window of 1,024 cells where `slides`. `head` are the weights of the output.
    """

    n_layer: int = 8
    body: int = 100 * MIB
    experts: int = 0
    head: int = 50 * MIB
    cell: int = 4096
    state: int = 0
    slides: bool = False
    refuses: frozenset[KvType] = frozenset()
    devices: tuple[EngineDevice, ...] = (cpu(),)
    source: Source = Source.INSTANT
    n_asked: int = 0
    shape: ModelShape = field(init=False)

    def __post_init__(self) -> None:
        self.shape = llama_shape(n_layer=self.n_layer, n_expert=8 if self.experts else 0)

    def needs(self, settings: LoadSettings) -> tuple[DeviceNeed, ...]:
        """Return what it takes, device by device."""
        self.n_asked += 1
        if settings.type_k in self.refuses or settings.type_v in self.refuses:
            raise SettingsRefused("its heads are odd")
        if settings.type_v is not KvType.F16 and settings.flash_attention is FlashAttention.OFF:
            raise SettingsRefused("it needs flash attention")
        placement = place(self.shape, settings, self.devices)
        names = [HOST, *(device.name for device in placement.devices)]
        needs = {name: Needs(runtime=10 * MIB, compute=self._compute(settings)) for name in names}
        needs[placement.output] += Needs(weights=self.head, output=4000 * settings.n_seq_max)
        for il, device in enumerate(placement.layers):
            needs[device] += self._layer(il, settings)
            needs[HOST if il < placement.n_cpu_moe_layers else device] += Needs(weights=self.experts)
        return tuple(DeviceNeed(name, part) for name, part in needs.items())

    def _layer(self, il: int, settings: LoadSettings) -> Needs:
        cells = settings.n_ctx_cells or 0
        if self.slides and not settings.swa_full and il % 4 != 3:
            cells = min(cells, 1024 * settings.n_seq_max + settings.n_ubatch_tokens)
        kv = cells * self.cell * _KV_PERCENT[settings.type_k] // 100
        return Needs(weights=self.body, kv=kv, recurrent=self.state * settings.n_seq_max)

    def _compute(self, settings: LoadSettings) -> int:
        n_bytes = settings.n_ubatch_tokens * 50_000
        if settings.flash_attention is FlashAttention.OFF:
            n_bytes += 4 * settings.n_ubatch_tokens * (settings.n_ctx_cells or 0) * 4
        return n_bytes


def host_room(free: int, *, own: int = 0, reclaimable: int = 0) -> Room:
    """Return the machine's memory with `free` bytes; a margin of 256 MiB."""
    return Room(
        device=HOST,
        label="A CPU",
        kind=RoomKind.HOST,
        total=64 * GIB,
        free=free,
        own=own,
        reclaimable=reclaimable,
        margin=256 * MIB,
    )


def gpu_room(free: int, name: str = "CUDA0", *, kind: RoomKind = RoomKind.GPU) -> Room:
    """Return a GPU with `free` bytes; a margin of 128 MiB."""
    return Room(device=name, label=f"Card {name}", kind=kind, total=24 * GIB, free=free, margin=128 * MIB)


def gpus(*free: int) -> tuple[EngineDevice, ...]:
    """Return the CPU and GPUs with so much free memory."""
    return (cpu(), *(gpu(f"CUDA{index}", n_bytes) for index, n_bytes in enumerate(free)))


def closed(**changes: object) -> LoadSettings:
    """Return settings that leave nothing open, with `changes`."""
    values: dict[str, object] = {"n_ctx_cells": 4096, "n_threads": 2, "flash_attention": FlashAttention.ON}
    return LoadSettings(**(values | changes))  # pyright: ignore[reportArgumentType]
