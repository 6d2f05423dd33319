"""What a model spread over several devices computes where, and the buffers that this alone costs.

Compared with llama.cpp's own breakdown of models split over RPC servers (tests/fit/test_spread.py has the figures).
"""

from dataclasses import dataclass

from quern.fit.graph.batch import Batch, reserved_batch
from quern.fit.graph.forward import Handed, LayerSpan
from quern.fit.room import HOST
from quern.fit.shape.cache import Extent
from quern.fit.shape.model_shape import ModelShape
from quern.spec import LoadSettings

from .offload import memory_of
from .placement import Placement

_F32_BYTES, _F16_BYTES = 4, 2
# From so many tokens on, a GPU computes for layers on the CPU (ggml-cuda.cu, offload_op: GGML_OP_OFFLOAD_MIN_BATCH).
_OFFLOADED_BATCH_TOKENS = 32
# Between GPUs that hold everything, inputs are kept four times (ggml-backend.cpp, GGML_SCHED_MAX_COPIES): of the mask
# three more; of the stream, which is handed over in two parts and to the first GPU in one, as measured.
_MORE_MASKS, _MORE_STREAMS_FIRST, _MORE_STREAMS, _MORE_STREAMS_HOST = 3, 4, 8, 3


def spans_of(placement: Placement) -> dict[str, LayerSpan]:
    """Return what each device computes; the host, with the embeddings, is always one of them."""
    n = len(placement.layers)
    spans = {HOST: LayerSpan(first=0, end=0, has_input=True, has_output=placement.output == HOST)}
    for device in placement.devices_with_layers():
        held = [il for il in range(n) if placement.layers[il] == device]
        spans[device] = LayerSpan(
            first=held[0] if held else n,
            end=held[-1] + 1 if held else n,
            has_input=device == HOST,
            has_output=placement.output == device,
            handed=_handed(placement, held[0] if held else n),
        )
    return spans


def _handed(placement: Placement, first: int) -> Handed:
    """How the stream comes to a GPU whose first layer is `first`: between GPUs that hold everything, see `Spread`."""
    if placement.offloads_all or first == 0:
        return Handed.WHOLE
    return Handed.UNFINISHED if placement.layers[first - 1] == HOST else Handed.NORMED


@dataclass(frozen=True, slots=True)
class Spread:
    """One way to load one model on more than the host."""

    shape: ModelShape
    settings: LoadSettings
    placement: Placement

    def extra_bytes(self, widest_on_host: int) -> dict[str, int]:
        """Return what each device's compute buffer takes besides its own layers' steps.

        `widest_on_host` are the bytes of the largest matrix on the host: a GPU that computes large batches for layers
        on the CPU copies one at a time (ggml-backend.cpp, op_offload; src/llama-context.cpp, pipeline_parallel).
        """
        gpus = self.placement.devices
        if not self.placement.offloads_all:
            is_offloaded = self._batch.n_tokens >= _OFFLOADED_BATCH_TOKENS and memory_of(gpus[0]).computes_for_cpu
            return {gpus[0].name: widest_on_host} if is_offloaded else {}
        if len(gpus) < 2:
            return {}
        mask, stream = self._mask_bytes, _F32_BYTES * self._batch.n_tokens * self.shape.n_embd
        extra = {HOST: _MORE_MASKS * mask + _MORE_STREAMS_HOST * stream}
        for index, device in enumerate(self.placement.devices_with_layers()):
            streams = _MORE_STREAMS if index else _MORE_STREAMS_FIRST
            extra[device] = _MORE_MASKS * mask + streams * stream
        return extra

    def host_expert_bytes(self) -> int:
        """Return the compute buffer of a host that holds experts of layers which a GPU has; 0 where a GPU computes
        them too: their three widened streams, their results before they are added up, and the stream twice.
        """
        stays = self.placement.layers[: self.placement.n_cpu_moe_layers]
        kinds = {
            layer
            for layer, device in zip(self.shape.layers, stays, strict=False)
            if layer.has_experts and device != HOST
        }
        if not kinds or memory_of(self.placement.devices[0]).computes_for_cpu:
            return 0
        n_embd = self.shape.n_embd
        widest = max(layer.n_expert_used * (3 * layer.n_ff_expert + n_embd) for layer in kinds)
        return _F32_BYTES * self._batch.n_tokens * (widest + 2 * n_embd)

    @property
    def _batch(self) -> Batch:
        return reserved_batch(self.shape, self.settings)

    @property
    def _mask_bytes(self) -> int:
        """Bytes of the masks of all kinds of layers."""
        batch = self._batch
        extents = {cache.extent for layer in self.shape.kinds for cache in layer.caches}
        n_cells = (batch.n_kv if Extent.CONTEXT in extents else 0) + (
            batch.n_kv_window if Extent.WINDOW in extents else 0
        )
        return n_cells * batch.n_tokens * (_F16_BYTES if batch.has_flash else _F32_BYTES)
