"""One load that really happened: what was estimated for it and what it took."""

import json
from dataclasses import asdict, dataclass
from typing import Self

from quern.base import Json
from quern.fit import DeviceNeed, Needs
from quern.spec import LoadSettings, settings_from_json, settings_to_json

_LATEST_S = 253_370_764_800.0  # the last day of the year 9999 anywhere on earth: no calendar goes further
_MOST_CELLS = 2**31 - 1  # llama.cpp counts them in 32 bits, and positions with a sign


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredLoad:
    """A load, remembered. `loaded_at` in seconds since 1970; `settings` leave nothing open.

    `measured` is what llama.cpp's buffers really took, by device, and `estimated` what the instant formulas had said of
    the same buffers (empty where they could not; `Needs.runtime`, which no buffer counts, is 0 in both).
    `resident_bytes` is by how much this process's resident memory grew; mapped weights count only once they were
    touched.
    """

    loaded_at: float
    settings: LoadSettings
    estimated: tuple[DeviceNeed, ...]
    measured: tuple[DeviceNeed, ...]
    resident_bytes: int

    @classmethod
    def from_columns(cls, loaded_at: float, settings: str, estimated: str, measured: str, resident_bytes: int) -> Self:
        """Return the load out of its database columns. Raises ValueError, KeyError or TypeError for foreign ones."""
        return cls(
            loaded_at=_moment(loaded_at),
            settings=_closed(settings_from_json(json.loads(settings))),
            estimated=needs_from_json(json.loads(estimated)),
            measured=needs_from_json(json.loads(measured)),
            resident_bytes=resident_bytes,
        )

    def columns(self) -> tuple[float, str, str, str, int]:
        """Return what `from_columns` takes."""
        return (
            self.loaded_at,
            settings_column(self.settings),
            json.dumps(needs_to_json(self.estimated)),
            json.dumps(needs_to_json(self.measured)),
            self.resident_bytes,
        )


def settings_column(settings: LoadSettings) -> str:
    """Return `settings` as the one text that equal settings have."""
    return json.dumps(settings_to_json(settings), sort_keys=True)


def needs_to_json(needs: tuple[DeviceNeed, ...]) -> Json:
    """Return `[{"device": ..., "mapped": bytes, "weights": bytes, ...}]`."""
    return [{"device": need.device, "mapped": need.mapped, **asdict(need.needs)} for need in needs]


def needs_from_json(document: Json) -> tuple[DeviceNeed, ...]:
    """Return what `needs_to_json` wrote. Raises ValueError, KeyError or TypeError for anything else."""
    if not isinstance(document, list):
        raise ValueError("the needs of devices are a list")
    return tuple(_need(entry) for entry in document)


def _need(entry: Json) -> DeviceNeed:
    if not isinstance(entry, dict):
        raise ValueError("the needs of a device are an object")
    counts = {name: _count(value) for name, value in entry.items() if name != "device"}
    mapped = counts.pop("mapped", 0)
    return DeviceNeed(str(entry["device"]), Needs(**counts), mapped)


def _count(value: Json) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is no number of bytes")
    return value


def _moment(seconds: float) -> float:
    if not 0 <= seconds <= _LATEST_S:
        raise ValueError(f"{seconds} is no moment")
    return seconds


def _closed(settings: LoadSettings) -> LoadSettings:
    """Return `settings`, which a load had closed (see `resolve`). Raises ValueError where no load can have."""
    cells = settings.n_ctx_cells
    counts = (settings.n_batch_tokens, settings.n_ubatch_tokens, settings.n_seq_max)
    if cells is None or not 1 <= cells <= _MOST_CELLS or min(counts) < 1:
        raise ValueError("these are no settings of a load")
    return settings
