"""Reckons what one model and its context take of each device, from its header alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from quern.fit.buffer.compute import LayerSpan, compute_bytes
from quern.fit.buffer.kv_cache import kv_bytes_by_layer
from quern.fit.buffer.output import output_bytes
from quern.fit.buffer.recurrent import recurrent_bytes_by_layer
from quern.fit.errors import FitUnknown
from quern.fit.need import Needs
from quern.fit.place.buffer_type import CpuKernels
from quern.fit.place.offload import memory_of, offload_devices
from quern.fit.place.placement import Placement, place
from quern.fit.place.spread import Spread, spans_of
from quern.fit.place.weights import WeightBytes, WeightTable
from quern.fit.room import HOST
from quern.fit.shape.model_shape import ModelShape, shape_of
from quern.gguf import ModelHeader
from quern.hardware import EngineDevice
from quern.spec import LoadSettings

Value = TypeVar("Value")

_MOST_KEPT = 256


@dataclass(frozen=True, slots=True)
class Reckoning:
    """What one model takes: parts by device, and how much of the host's weights is mapped."""

    needs: dict[str, Needs]
    placement: Placement
    mapped: int


class Reckoner:
    """Owns what of one model's header does not depend on settings, and the last answers. Thread-safe: what threads
    reckon twice is the same.
    """

    def __init__(self, model: ModelHeader, devices: Iterable[EngineDevice], kernels: CpuKernels) -> None:
        """Raises FitUnknown where the header does not say enough."""
        self.shape: ModelShape = shape_of(model)
        self._devices = tuple(devices)
        memories = {memory_of(device) for device in offload_devices(self._devices)}
        self._weights = WeightTable(model.tensors, self.shape, kernels, memories)
        self._placed: dict[tuple[object, ...], tuple[Placement, dict[str, WeightBytes]]] = {}
        self._computed: dict[tuple[object, ...], int] = {}

    def reckon(self, settings: LoadSettings) -> Reckoning:
        """Return what the model takes with `settings`, which leave nothing open. Raises FitUnknown, SettingsRefused."""
        placement, weights = self._weighed(settings)
        kv = _summed(kv_bytes_by_layer(self.shape, settings), placement)
        recurrent = _summed(recurrent_bytes_by_layer(self.shape, settings), placement)
        compute = self._compute(settings, placement, weights)
        output = output_bytes(self.shape, settings)
        needs = {
            device: Needs(
                weights=found.total,
                kv=kv.get(device, 0),
                recurrent=recurrent.get(device, 0),
                compute=compute.get(device, 0),
                output=output if device == HOST else 0,
            )
            for device, found in weights.items()
        }
        return Reckoning(needs, placement, weights[HOST].mapped)

    def _weighed(self, settings: LoadSettings) -> tuple[Placement, dict[str, WeightBytes]]:
        key = (
            settings.n_gpu_layers,
            settings.n_cpu_moe_layers,
            settings.tensor_split,
            settings.extra_buffers,
            settings.mmap,
        )
        found = self._placed.get(key)
        if found is None:
            placement = place(self.shape, settings, self._devices)
            found = placement, self._weights.on(placement, settings)
            _keep(self._placed, key, found)
        return found

    def _compute(self, settings: LoadSettings, placement: Placement, weights: dict[str, WeightBytes]) -> dict[str, int]:
        if placement.is_on_host_alone:
            return {HOST: self._span_bytes(settings, None)}
        computed = {device: self._span_bytes(settings, span) for device, span in spans_of(placement).items()}
        spread = Spread(self.shape, settings, placement)
        for device, extra in spread.extra_bytes(weights[HOST].largest).items():
            computed[device] = computed.get(device, 0) + extra
        computed[HOST] = max(computed[HOST], spread.host_expert_bytes())
        return computed

    def _span_bytes(self, settings: LoadSettings, span: LayerSpan | None) -> int:
        key = (
            settings.n_ctx_cells,
            settings.n_batch_tokens,
            settings.n_ubatch_tokens,
            settings.n_seq_max,
            settings.kv_unified,
            settings.swa_full,
            settings.flash_attention,
            settings.type_k,
            settings.type_v,
            span,
        )
        found = self._computed.get(key)
        if found is None:
            found = self._computed_bytes(settings, span)
            _keep(self._computed, key, found)
        return found

    def _computed_bytes(self, settings: LoadSettings, span: LayerSpan | None) -> int:
        """Sizes that are each possible may make no graph: zero groups, sums of unequal sides. Raises FitUnknown."""
        try:
            return compute_bytes(self.shape, settings, span)
        except (ArithmeticError, LookupError) as error:
            raise FitUnknown("the sizes in its header do not go together") from error


def _summed(by_layer: tuple[int, ...], placement: Placement) -> dict[str, int]:
    if placement.is_on_host_alone:
        return {HOST: sum(by_layer)}
    sums: dict[str, int] = {}
    for device, n_bytes in zip(placement.layers, by_layer, strict=True):
        sums[device] = sums.get(device, 0) + n_bytes
    return sums


def _keep(kept: dict[tuple[object, ...], Value], key: tuple[object, ...], value: Value) -> None:
    """Remember `value`, and forget everything where that grows too large."""
    if len(kept) >= _MOST_KEPT:
        kept.clear()
    kept[key] = value
