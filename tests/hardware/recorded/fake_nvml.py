"""NVIDIA's interface as a machine answers it: pynvml's functions over values, failing with pynvml's own errors."""

from dataclasses import dataclass, field

from pynvml import NVMLError

NO_PERMISSION, NOT_SUPPORTED, NOT_FOUND, DRIVER_NOT_LOADED, LIBRARY_NOT_FOUND = 4, 3, 6, 9, 12
GPU_IS_LOST, VERSION_MISMATCH, UNKNOWN = 15, 18, 999
GIB = 1 << 30


@dataclass(slots=True)
class Memory:
    """nvmlMemory_t."""

    total: int
    free: int


@dataclass(slots=True)
class Pci:
    """nvmlPciInfo_t."""

    busId: bytes | str  # noqa: N815


@dataclass(slots=True)
class Card:
    """One GPU; `memory` is None where it has none of its own, `fails` the code that asking for it ends with."""

    name: str
    bus: str
    capability: tuple[int, int]
    memory: Memory | None = None
    fails: int | None = None
    mig: int | None = None
    partitions: list["Card | None"] = field(default_factory=list["Card | None"])


@dataclass(slots=True)
class FakeNvml:
    """`init_fails` is the code that opening it ends with. `is_open` proves that what was opened is closed again."""

    cards: list[Card] = field(default_factory=list[Card])
    driver: str = "560.35.03"
    cuda: int = 12060
    init_fails: int | None = None
    is_open: bool = False

    def nvmlInit(self) -> None:
        if self.init_fails is not None:
            raise NVMLError(self.init_fails)
        self.is_open = True

    def nvmlShutdown(self) -> None:
        self.is_open = False

    def nvmlSystemGetDriverVersion(self) -> str:
        return self.driver

    def nvmlSystemGetCudaDriverVersion_v2(self) -> int:
        return self.cuda

    def nvmlDeviceGetCount(self) -> int:
        return len(self.cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> object:
        fails = self.cards[index].fails
        if fails is not None:
            raise NVMLError(fails)
        return self.cards[index]

    def nvmlDeviceGetName(self, handle: object) -> str:
        return _card(handle).name

    def nvmlDeviceGetPciInfo(self, handle: object) -> Pci:
        return Pci(_card(handle).bus.encode())

    def nvmlDeviceGetMemoryInfo(self, handle: object) -> Memory:
        memory = _card(handle).memory
        if memory is None:
            raise NVMLError(NOT_SUPPORTED)
        return memory

    def nvmlDeviceGetCudaComputeCapability(self, handle: object) -> tuple[int, int]:
        return _card(handle).capability

    def nvmlDeviceGetMigMode(self, device: object) -> list[int]:
        mig = _card(device).mig
        if mig is None:
            raise NVMLError(NOT_SUPPORTED)
        return [mig, mig]

    def nvmlDeviceGetMaxMigDeviceCount(self, device: object) -> int:
        return len(_card(device).partitions)

    def nvmlDeviceGetMigDeviceHandleByIndex(self, device: object, index: int) -> object:
        partition = _card(device).partitions[index]
        if partition is None:
            raise NVMLError(NOT_FOUND)
        return partition


def _card(handle: object) -> Card:
    assert isinstance(handle, Card)
    return handle


def rtx_4070() -> Card:
    return Card("NVIDIA GeForce RTX 4070", "00000000:01:00.0", (8, 9), Memory(12 * GIB, 11 * GIB))


def rtx_3090(bus: str) -> Card:
    return Card("NVIDIA GeForce RTX 3090", bus, (8, 6), Memory(24 * GIB, 23 * GIB))
