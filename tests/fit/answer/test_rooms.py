"""What there is, is counted once, and only what the installed engine can use."""

import pytest
from tests.fit.forged import GIB, MIB, engine, gpu

from quern.fit.answer.balance import balance
from quern.fit.answer.rooms import OwnMemory, rooms_of
from quern.fit.errors import DeviceGone
from quern.fit.need import DeviceNeed, Needs
from quern.fit.room import RoomKind
from quern.hardware import Cpu, DeviceKind, Gpu, GpuFault, Machine, Memory, Vendor


def machine(*gpus: Gpu, total: int = 32 * GIB, available: int = 20 * GIB) -> Machine:
    brand = Cpu(
        brand="A CPU",
        architecture="x86_64",
        n_physical_cores=8,
        n_logical_cores=16,
        n_performance_cores=8,
        n_usable_threads=16,
        features=(),
    )
    return Machine(cpu=brand, memory=Memory(total_bytes=total, available_bytes=available), gpus=gpus)


def nvidia(name: str = "RTX 4070", free: int | None = 10 * GIB, address: str | None = None) -> Gpu:
    return Gpu(vendor=Vendor.NVIDIA, name=name, total=12 * GIB, free=free, address=address)


def test_without_a_gpu_there_is_the_machines_memory() -> None:
    (room,) = rooms_of(machine(), engine(), {})
    assert (room.device, room.kind, room.total, room.free) == ("CPU", RoomKind.HOST, 32 * GIB, 20 * GIB)
    assert room.margin == 2 * GIB
    assert room.other == 12 * GIB


def test_a_gpu_that_the_engine_cannot_use_is_no_room() -> None:
    assert len(rooms_of(machine(nvidia()), engine(), {})) == 1


def test_free_memory_is_the_vendors_answer_of_now() -> None:
    rooms = rooms_of(machine(nvidia(free=3 * GIB)), engine(gpu("CUDA0", 11 * GIB)), {})
    assert rooms[1].free == 11 * GIB  # another name: nobody knows that it is this card
    card = gpu("CUDA0", 11 * GIB, address="0000:01:00.0")
    rooms = rooms_of(machine(nvidia(free=3 * GIB, address="0000:01:00.0")), engine(card), {})
    assert (rooms[1].label, rooms[1].free, rooms[1].kind) == ("RTX 4070", 3 * GIB, RoomKind.GPU)


def test_two_equal_cards_are_told_apart_by_address() -> None:
    cards = (gpu("CUDA0", address="0000:02:00.0"), gpu("CUDA1", address="0000:01:00.0"))
    found = machine(nvidia(free=1 * GIB, address="0000:01:00.0"), nvidia(free=2 * GIB, address="0000:02:00.0"))
    assert [room.free for room in rooms_of(found, engine(*cards), {})[1:]] == [2 * GIB, 1 * GIB]


def test_a_card_without_address_is_found_by_its_name() -> None:
    card = gpu("CUDA0", 11 * GIB)
    found = machine(nvidia(name="card cuda0", free=5 * GIB))
    assert rooms_of(found, engine(card), {})[1].free == 5 * GIB


def test_a_faulty_gpu_has_no_room() -> None:
    lost = Gpu(vendor=Vendor.NVIDIA, name="RTX 4070", address="0000:01:00.0", fault=GpuFault.LOST)
    assert len(rooms_of(machine(lost), engine(gpu(address="0000:01:00.0")), {})) == 1


def test_what_loaded_models_hold_is_named_and_given_back() -> None:
    own = {"CPU": OwnMemory(held=4 * GIB, reclaimable=3 * GIB), "CUDA0": OwnMemory(held=5 * GIB, reclaimable=5 * GIB)}
    host, card = rooms_of(machine(), engine(gpu("CUDA0", 2 * GIB)), own)
    assert (host.own, host.reclaimable, host.other) == (4 * GIB, 3 * GIB, 8 * GIB)
    assert host.usable == 21 * GIB
    assert card.usable == 2 * GIB + 5 * GIB - card.margin


def test_unified_memory_is_within_the_working_set_and_what_is_free() -> None:
    metal = engine(gpu("MTL0", 24 * GIB, backend="MTL"))
    card = Gpu(vendor=Vendor.APPLE, name="Card MTL0", total=32 * GIB, is_unified=True, working_set=22 * GIB)
    room = rooms_of(machine(card, available=30 * GIB), metal, {})[1]
    assert (room.kind, room.total, room.free) == (RoomKind.UNIFIED, 22 * GIB, 22 * GIB)
    assert rooms_of(machine(card, available=9 * GIB), metal, {})[1].free == 9 * GIB


def test_unified_memory_is_taken_once_and_from_the_host_too() -> None:
    metal = engine(gpu("MTL0", 24 * GIB, backend="MTL"))
    card = Gpu(vendor=Vendor.APPLE, name="Card MTL0", total=32 * GIB, is_unified=True, working_set=22 * GIB)
    rooms = rooms_of(machine(card, available=20 * GIB), metal, {})
    host, metal_fit = balance(
        [DeviceNeed("CPU", Needs(weights=1 * GIB)), DeviceNeed("MTL0", Needs(weights=15 * GIB))], rooms
    )
    assert host.left == 4 * GIB
    assert metal_fit.left == 5 * GIB
    assert sum(fit.needs.total for fit in (host, metal_fit)) == 16 * GIB


def test_an_integrated_gpu_of_a_backend_that_says_nothing_has_the_hosts_memory() -> None:
    integrated = gpu("OpenCL0", 0, kind=DeviceKind.INTEGRATED_GPU, backend="OpenCL")
    room = rooms_of(machine(), engine(integrated), {})[1]
    assert (room.kind, room.free) == (RoomKind.UNIFIED, 20 * GIB)


def test_a_small_card_keeps_a_small_margin() -> None:
    assert rooms_of(machine(), engine(gpu("CUDA0", 4 * GIB)), {})[1].margin == 256 * MIB
    assert rooms_of(machine(), engine(gpu("CUDA0", 80 * GIB)), {})[1].margin == 1 * GIB


def test_a_gpu_that_vanished_is_one_sentence() -> None:
    with pytest.raises(DeviceGone) as gone:
        balance([DeviceNeed("CUDA0", Needs(weights=1))], rooms_of(machine(), engine(), {}))
    assert gone.value.what == "The graphics processor CUDA0, which the engine found a moment ago, is no longer there."


def test_a_device_that_needs_nothing_may_be_missing() -> None:
    assert balance([DeviceNeed("CUDA0", Needs())], rooms_of(machine(), engine(), {}))[0].needs == Needs()
