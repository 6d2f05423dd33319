"""What a load takes against what there is, device by device."""

from collections.abc import Iterable

from quern.fit.errors import DeviceGone
from quern.fit.need import DeviceNeed, Needs
from quern.fit.report import DeviceFit
from quern.fit.room import HOST, Room, RoomKind


def balance(needs: Iterable[DeviceNeed], rooms: Iterable[Room]) -> tuple[DeviceFit, ...]:
    """Return each room with what is taken of it, in the order of `rooms`.

    What a GPU takes that works in the machine's memory is taken there too, once. Raises DeviceGone for a device that
    needs something and has no room.
    """
    rooms = tuple(rooms)
    by_device = {need.device: need.needs for need in needs}
    for device in by_device.keys() - {room.device for room in rooms}:
        if by_device[device].total:
            raise DeviceGone(device)
    shared = sum(by_device.get(room.device, Needs()).total for room in rooms if room.kind is RoomKind.UNIFIED)
    return tuple(
        DeviceFit(room, by_device.get(room.device, Needs()), shared if room.device == HOST else 0) for room in rooms
    )
