"""What measuring taught about an architecture: by how much the closed formula of the compute buffer is off."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from quern.base import Json, JsonObject
from quern.fit.need import DeviceNeed
from quern.spec import FlashAttention, LoadSettings

_LEAST, _MOST = 0.5, 2.0  # beyond that the measurement is of something else
_NEGLIGIBLE = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrections:
    """Measured over reckoned bytes of the compute buffers, with flash attention and without; 1 where nobody measured.

    Only compute buffers are corrected: weights, KV cache and recurrent state are reckoned exactly.
    """

    compute_flash: float = 1.0
    compute_plain: float = 1.0

    def compute(self, n_bytes: int, settings: LoadSettings) -> int:
        """Return `n_bytes` of a reckoned compute buffer as they are probably measured."""
        factor = self.compute_plain if settings.flash_attention is FlashAttention.OFF else self.compute_flash
        return n_bytes if factor == 1.0 else round(n_bytes * factor)

    def learned(
        self, settings: LoadSettings, reckoned: Iterable[DeviceNeed], measured: Iterable[DeviceNeed]
    ) -> "Corrections":
        """Return the corrections after llama.cpp measured `measured` where these ones had said `reckoned`."""
        is_plain = settings.flash_attention is FlashAttention.OFF
        said, found = _compute_bytes(reckoned), _compute_bytes(measured)
        if not said or not found or abs(found / said - 1) <= _NEGLIGIBLE:
            return self
        factor = (self.compute_plain if is_plain else self.compute_flash) * found / said
        factor = max(_LEAST, min(factor, _MOST))
        return replace(self, compute_plain=factor) if is_plain else replace(self, compute_flash=factor)

    def to_json(self) -> JsonObject:
        """Return what `from_json` reads."""
        return {"compute_flash": self.compute_flash, "compute_plain": self.compute_plain}

    @classmethod
    def from_json(cls, document: Json) -> Self:
        """Return the corrections in `document`. Raises ValueError, KeyError or TypeError for anything else."""
        if not isinstance(document, dict):
            raise ValueError("corrections are an object")
        return cls(
            compute_flash=_factor(document["compute_flash"]),
            compute_plain=_factor(document["compute_plain"]),
        )


def _compute_bytes(needs: Iterable[DeviceNeed]) -> int:
    return sum(need.needs.compute for need in needs)


def _factor(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _LEAST <= value <= _MOST:
        raise ValueError(f"{value!r} is no correction")
    return float(value)
