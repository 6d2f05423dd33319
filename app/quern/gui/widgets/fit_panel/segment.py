"""What fills each device's memory, cut for drawing: a bar of segments that ends at the device or beyond it."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from quern.base.units import format_bytes
from quern.fit import HOST, DeviceFit, FitReport
from quern.runtime import Part, part_name, part_sentence, parts_of

SHARED, MARGIN = "shared", "margin"  # beside the names of Part
FREE = Part.FREE.value
ORDER = (
    *(part.value for part in Part if part.value not in ("own", "other", "free")),
    SHARED,
    "own",
    "other",
    FREE,
    MARGIN,
)


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of one device: `key` names it, `sentence` says what it is with its number."""

    key: str
    n_bytes: int
    name: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceView:
    """One device as it is drawn: its segments in order, from its beginning; `left` bytes stay, negative where over."""

    device: str
    label: str
    total: int
    left: int
    segments: tuple[Segment, ...]

    @property
    def short_label(self) -> str:
        """A name for a narrow column: the engine's for a GPU."""
        return _translated("Memory") if self.device == HOST else self.device

    @property
    def over(self) -> int:
        """Bytes that do not fit."""
        return max(0, -self.left)

    @property
    def scale(self) -> int:
        """Bytes that the whole length of the bar stands for."""
        return max(1, self.total, sum(segment.n_bytes for segment in self.segments))

    @property
    def summary(self) -> str:
        """How much is left, or missing, in a few words."""
        if self.over:
            return _translated("{0} over {1}").format(format_bytes(self.over), format_bytes(self.total))
        return _translated("{0} of {1} left").format(format_bytes(self.left), format_bytes(self.total))

    @property
    def reading(self) -> str:
        """Everything that the bar shows, to be read out."""
        parts = (f"{segment.name} {format_bytes(segment.n_bytes)}" for segment in self.segments)
        return "; ".join((self.summary, *parts))


def device_views(report: FitReport) -> tuple[DeviceView, ...]:
    """Return every device of `report`, the machine's memory first.

    A GPU begins with the engine's name for it, which stands over the legend's columns and in the advice too.
    """
    return tuple(_view(device) for device in report.devices)


def _view(device: DeviceFit) -> DeviceView:
    room = device.room
    label = room.device if room.label == room.device else f"{room.device} ({room.label})"
    if room.device == HOST:
        label = _translated("Memory")
    return DeviceView(
        device=room.device, label=label, total=room.total, left=device.left, segments=tuple(_segments(device))
    )


def _segments(device: DeviceFit) -> Iterator[Segment]:
    shared, left = device.shared, device.left
    taken = [(part.value, n_bytes) for part, n_bytes in parts_of(device) if part is not Part.FREE]
    for key, n_bytes in taken:
        if shared and key in (Part.OWN, Part.OTHER):
            yield _shared(shared)
            shared = 0
        yield Segment(key, n_bytes, _named(key), _translated(part_sentence(key, n_bytes)))
    if shared:
        yield _shared(shared)
    margin = min(device.room.margin, max(0, left))
    if left > margin:
        yield Segment(FREE, left - margin, _named(FREE), part_sentence(FREE, left - margin))
    if margin:
        told = _translated("{0} are kept free, so that the system and other programs stay quick.")
        yield Segment(MARGIN, margin, _translated("Margin"), told.format(format_bytes(margin)))


def _shared(n_bytes: int) -> Segment:
    told = _translated("The GPU works in this memory too and takes {0} of it.")
    return Segment(SHARED, n_bytes, _translated("The GPU's part"), told.format(format_bytes(n_bytes)))


def _named(key: str) -> str:
    return _translated(part_name(key))


def _translated(text: str) -> str:
    return QCoreApplication.translate("FitPanel", text)
