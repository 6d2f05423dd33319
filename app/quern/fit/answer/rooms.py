"""What the machine has to offer: one room for its memory, one for each GPU that the installed engine can use."""

from collections.abc import Mapping
from dataclasses import dataclass

from quern.fit.place.offload import offload_devices
from quern.fit.room import HOST, Room, RoomKind
from quern.hardware import DeviceKind, EngineDevice, EngineInfo, Gpu, Machine

MIB = 1024 * 1024
# What is kept free: a share of the whole, within bounds. llama.cpp keeps 1 GiB of each device (common.h, fit_params).
_HOST_SHARE, _HOST_LEAST, _HOST_MOST = 16, 256 * MIB, 2048 * MIB
_GPU_SHARE, _GPU_LEAST, _GPU_MOST = 20, 256 * MIB, 1024 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnMemory:
    """Bytes of one device that loaded models hold; `reclaimable` of them are given back before the next load.

    On the host only memory counts that is not a mapped file: the system drops those pages when it needs them, and does
    not say that they are taken.
    """

    held: int = 0
    reclaimable: int = 0


def rooms_of(machine: Machine, engine: EngineInfo, own: Mapping[str, OwnMemory]) -> tuple[Room, ...]:
    """Return the host's room, then those of the GPUs that llama.cpp offloads to, in its order.

    Free memory is the vendor's answer of now, the engine's where there is none. A GPU in the machine's own memory has
    no more than is free there and than its working-set limit allows. A GPU that has a fault has no room.
    """
    host = _host_room(machine, own.get(HOST, OwnMemory()))
    rooms = [host]
    unmatched = list(machine.gpus)
    for device in offload_devices(engine.devices):
        gpu = _taken_match(device, unmatched)
        if gpu is None or gpu.fault is None:
            rooms.append(_gpu_room(device, gpu, host, own.get(device.name, OwnMemory())))
    return tuple(rooms)


def _host_room(machine: Machine, own: OwnMemory) -> Room:
    memory = machine.memory
    return Room(
        device=HOST,
        label=machine.cpu.brand,
        kind=RoomKind.HOST,
        total=memory.total_bytes,
        free=memory.available_bytes,
        own=own.held,
        reclaimable=min(own.reclaimable, own.held),
        margin=_clamped(memory.total_bytes // _HOST_SHARE, _HOST_LEAST, _HOST_MOST),
    )


def _gpu_room(device: EngineDevice, gpu: Gpu | None, host: Room, own: OwnMemory) -> Room:
    has_none_to_report = device.total == 0 and device.free == 0
    is_unified = device.kind is DeviceKind.INTEGRATED_GPU or has_none_to_report or (gpu is not None and gpu.is_unified)
    total = (gpu.total if gpu is not None else None) or device.total
    free = device.free
    if is_unified:
        total = (gpu.working_set if gpu is not None else None) or total or host.total
        limits = [host.free, max(0, total - own.held)]
        free = min(limits if has_none_to_report else [*limits, device.free])
    elif gpu is not None and gpu.free is not None:
        free = gpu.free
    return Room(
        device=device.name,
        label=gpu.name if gpu is not None else device.description,
        kind=RoomKind.UNIFIED if is_unified else RoomKind.GPU,
        total=total,
        free=max(0, min(free, total)),
        own=own.held,
        reclaimable=min(own.reclaimable, own.held),
        margin=_clamped(total // _GPU_SHARE, _GPU_LEAST, _GPU_MOST),
    )


def _taken_match(device: EngineDevice, gpus: list[Gpu]) -> Gpu | None:
    """Take the GPU that `device` is out of `gpus`: by its address, else by its name, else by a part of its name."""
    best = max(gpus, key=lambda gpu: _likeness(gpu, device), default=None)
    if best is None or not _likeness(best, device):
        return None
    gpus.remove(best)
    return best


def _likeness(gpu: Gpu, device: EngineDevice) -> int:
    if gpu.address is not None and device.address is not None:
        return 3 if gpu.address == device.address else 0
    name, other = gpu.name.casefold(), device.description.casefold()
    if not name or not other:
        return 0
    return 2 if name == other else int(_overlap(name, other))


def _overlap(name: str, other: str) -> bool:
    return name in other or other in name


def _clamped(value: int, least: int, most: int) -> int:
    return max(least, min(value, most))
