"""The answer: will it fit, with how much context, and what to change."""

from dataclasses import dataclass
from enum import StrEnum

from quern.spec import LoadSettings

from .need import Needs
from .room import Room


class Verdict(StrEnum):
    """FITS with the margin kept; TIGHT only by using it; PARTIAL not as asked, but with less of it on the GPU; else
    TOO_LARGE.
    """

    FITS = "fits"
    TIGHT = "tight"
    PARTIAL = "partial"
    TOO_LARGE = "too_large"


class Source(StrEnum):
    """INSTANT comes from closed formulas, EXACT from llama.cpp's own measurement in a child process."""

    INSTANT = "instant"
    EXACT = "exact"


@dataclass(frozen=True, slots=True)
class DeviceFit:
    """One device: what it has and what the load takes of it.

    `shared` is what GPUs that work in this memory take of it besides (RoomKind.UNIFIED); it is the host's only.
    """

    room: Room
    needs: Needs
    shared: int = 0

    @property
    def left(self) -> int:
        """Bytes that stay free after the load, the margin included; negative where it does not fit."""
        return self.room.free + self.room.reclaimable - self.needs.total - self.shared

    @property
    def spare(self) -> int:
        """Bytes that stay free beyond the margin; negative where that is not kept."""
        return self.left - self.room.margin


class AdviceKind(StrEnum):
    """What could be changed, most harmless first."""

    FEWER_SEQUENCES = "fewer_sequences"
    SLIDING_WINDOW = "sliding_window"
    SMALLER_UBATCH = "smaller_ubatch"
    FLASH_ATTENTION = "flash_attention"
    EXPERTS_TO_CPU = "experts_to_cpu"
    MORE_GPU_LAYERS = "more_gpu_layers"
    FEWER_GPU_LAYERS = "fewer_gpu_layers"
    SMALLER_CONTEXT = "smaller_context"
    KV_TYPE = "kv_type"
    UNLOAD_OTHERS = "unload_others"
    SMALLER_QUANTIZATION = "smaller_quantization"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One step and what it gains: `gain` bytes less on `device` (negative: more, where a step moves bytes there).

    `settings` are the whole settings with the step taken, None where the step is not one of settings. `fits` says
    whether the model then fits. `detail` names the choice ("q8_0", "24 of 33 layers", "Q4_K_M").
    """

    kind: AdviceKind
    device: str
    gain: int
    detail: str
    fits: bool
    settings: LoadSettings | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FitReport:
    """The whole answer for one way to load one model; `settings` leave nothing open.

    `n_ctx_cells` is the context that llama.cpp will really make (padded), `largest_ctx_cells` the largest that fits
    with the other settings as they are, at most the trained one; None where not even the smallest fits.
    """

    settings: LoadSettings
    n_ctx_cells: int
    n_ctx_train: int
    verdict: Verdict
    largest_ctx_cells: int | None
    devices: tuple[DeviceFit, ...]
    advice: tuple[Advice, ...]
    source: Source
