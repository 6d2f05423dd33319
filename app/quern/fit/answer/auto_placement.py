"""Places a model as fast as memory allows: all on GPUs, else experts on the CPU, else layers too, else everything."""

from collections.abc import Iterator
from dataclasses import replace

from quern.fit.choice import UNQUANTIZED, with_room_for_scores
from quern.fit.shape.model_shape import ModelShape
from quern.spec import FlashAttention, LoadSettings

from .attempt import Attempts
from .gpu_share import fewest_cpu_experts, most_gpu_layers, n_offloaded
from .gpu_split import with_split
from .leeway import leeway_of


class Placer:
    """Owns the search for one model. Experts of a layer go to the CPU before a whole layer does: they are most of its
    weights and least of its work.
    """

    def __init__(self, attempts: Attempts, shape: ModelShape, *, keeps_to_host: bool) -> None:
        leeway = leeway_of(shape)
        self._attempts = attempts
        self._n_layers = leeway.most_layers
        self._n_expert_layers = leeway.most_expert_layers
        self._n_head = max(layer.n_head for layer in shape.layers)
        self._keeps_to_host = keeps_to_host or not attempts.gpus

    def placed(self, settings: LoadSettings) -> LoadSettings:
        """Return `settings` with the fastest placement that keeps every margin; where none does, the one that lacks
        least. Raises FitUnknown, SettingsRefused, DeviceGone.
        """
        best: tuple[int, LoadSettings] | None = None
        for candidate in self._candidates(settings):
            found = self._attempts.outcome(candidate)
            if found.fits:
                return candidate
            if best is None or found.lack < best[0]:
                best = (found.lack, candidate)
        assert best is not None, "there is always the CPU"
        return best[1]

    def holds_all(self, settings: LoadSettings) -> bool:
        """Whether nothing is faster than this: all of it is on the GPUs, or there are none."""
        if self._keeps_to_host:
            return True
        return n_offloaded(settings, self._n_layers) >= self._n_layers and settings.n_cpu_moe_layers == 0

    def _candidates(self, settings: LoadSettings) -> Iterator[LoadSettings]:
        if not self._keeps_to_host:
            yield from self._on_gpus(settings)
        yield self._on_host(settings)

    def _on_gpus(self, settings: LoadSettings) -> Iterator[LoadSettings]:
        everything = replace(settings, n_gpu_layers=None, n_cpu_moe_layers=0)
        yield self._split(everything)
        rest = everything
        if self._n_expert_layers:
            n = fewest_cpu_experts(self._attempts, everything, self._n_expert_layers, self._split)
            rest = replace(everything, n_cpu_moe_layers=n or self._n_expert_layers)
            yield self._split(rest)
        n = most_gpu_layers(self._attempts, rest, self._n_layers, self._split)
        if n > 0:
            yield self._split(replace(rest, n_gpu_layers=n))

    def _on_host(self, settings: LoadSettings) -> LoadSettings:
        """As `resolve` closes what is open on a CPU."""
        alone = replace(settings, n_gpu_layers=0, n_cpu_moe_layers=0, tensor_split=())
        if settings.flash_attention is FlashAttention.AUTO:
            needs_flash = settings.type_v not in UNQUANTIZED
            alone = replace(alone, flash_attention=FlashAttention.ON if needs_flash else FlashAttention.OFF)
        if alone.flash_attention is not FlashAttention.OFF:
            return alone
        n_scores = (settings.n_ctx_cells or 0) * self._n_head
        return replace(alone, n_ubatch_tokens=with_room_for_scores(alone.n_ubatch_tokens, n_scores))

    def _split(self, settings: LoadSettings) -> LoadSettings:
        return with_split(self._attempts, settings, n_offloaded(settings, self._n_layers))
