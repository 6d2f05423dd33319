"""Tries settings against the rooms; the same question is asked of the estimator once."""

from collections.abc import Sequence
from dataclasses import dataclass

from quern.fit.buffer.settings_refused import SettingsRefused
from quern.fit.estimator import Estimator
from quern.fit.report import DeviceFit
from quern.fit.room import HOST, Room
from quern.spec import LoadSettings

from .balance import balance


@dataclass(frozen=True, slots=True)
class Outcome:
    """How settings fare. `spare` is the least that a device has left beyond its margin, in bytes, `host_spare` and
    `gpu_spare` the same of the host and of all GPUs (as much as there can be without any); `left` counts the margin in.
    """

    devices: tuple[DeviceFit, ...]
    spare: int
    left: int
    host_spare: int
    gpu_spare: int

    @property
    def fits(self) -> bool:
        """Whether every device keeps its margin."""
        return self.spare >= 0

    @property
    def lack(self) -> int:
        """Bytes that are missing on all devices together, margins kept."""
        return sum(max(0, -device.spare) for device in self.devices)

    @property
    def worst(self) -> DeviceFit:
        """The device that lacks most, or has least to spare."""
        return min(self.devices, key=lambda device: device.spare)

    def of(self, device: str) -> DeviceFit:
        """The device of that name."""
        return next(fit for fit in self.devices if fit.room.device == device)


class Attempts:
    """Owns what one estimator said about one model in these rooms."""

    def __init__(self, estimator: Estimator, rooms: Sequence[Room]) -> None:
        self.rooms = tuple(rooms)
        self._estimator = estimator
        self._known: dict[LoadSettings, Outcome | None] = {}

    @property
    def n_asked(self) -> int:
        """How many different settings the estimator was asked about."""
        return len(self._known)

    @property
    def gpus(self) -> tuple[Room, ...]:
        """The rooms that are not the host's."""
        return tuple(room for room in self.rooms if room.device != HOST)

    def outcome(self, settings: LoadSettings) -> Outcome:
        """Return how `settings`, which leave nothing open, fare. Raises FitUnknown, SettingsRefused, DeviceGone."""
        known = self._known.get(settings)
        if known is None:
            devices = balance(self._estimator.needs(settings), self.rooms)
            known = self._known[settings] = _outcome(devices)
        return known

    def attempt(self, settings: LoadSettings) -> Outcome | None:
        """Return how `settings` fare, None where the engine refuses them. Raises FitUnknown and DeviceGone."""
        try:
            return self.outcome(settings)
        except SettingsRefused:
            self._known[settings] = None
            return None

    def fits(self, settings: LoadSettings) -> bool:
        """Whether the engine takes `settings` and every device keeps its margin."""
        found = self.attempt(settings)
        return found is not None and found.fits


_PLENTY = 1 << 62


def _outcome(devices: tuple[DeviceFit, ...]) -> Outcome:
    host = [device.spare for device in devices if device.room.device == HOST]
    gpus = [device.spare for device in devices if device.room.device != HOST]
    return Outcome(
        devices=devices,
        spare=min(host + gpus),
        left=min(device.left for device in devices),
        host_spare=min(host, default=_PLENTY),
        gpu_spare=min(gpus, default=_PLENTY),
    )
