"""Models and machines to look at in the fit panel."""

from quern.fit import HOST, DeviceNeed, Needs, Room, RoomKind
from quern.runtime import MeasuredLoad
from quern.spec import KvType, LoadSettings
from tests.gui.stand_in_fit import GIB, MIB, Toy, ToyModel, measured_load

LAPTOP = Room(device=HOST, label="AMD Ryzen 7 7840U", kind=RoomKind.HOST, total=16 * GIB, free=11 * GIB, margin=GIB)
DESKTOP = Room(
    device=HOST,
    label="Intel Core i9-13900K",
    kind=RoomKind.HOST,
    total=64 * GIB,
    free=47 * GIB,
    own=3 * GIB,
    reclaimable=GIB,
    margin=2 * GIB,
)
MAC = Room(device=HOST, label="Apple M3 Pro", kind=RoomKind.HOST, total=36 * GIB, free=24 * GIB, margin=2 * GIB)
MAC_GPU = Room(device="Metal", label="Apple M3 Pro", kind=RoomKind.UNIFIED, total=27 * GIB, free=24 * GIB, margin=GIB)


def card(number: int, label: str, total_gib: int, free_gib: float) -> Room:
    """Return a GPU with memory of its own."""
    return Room(
        device=f"CUDA{number}",
        label=label,
        kind=RoomKind.GPU,
        total=total_gib * GIB,
        free=round(free_gib * GIB),
        margin=512 * MIB,
    )


EIGHT_B = ToyModel(weights=5 * GIB, n_layers=36, kv_width=2048, n_ctx_train=131_072)
SEVENTY_B = ToyModel(weights=40 * GIB, n_layers=80, kv_width=2048, n_ctx_train=131_072)
HYBRID = ToyModel(weights=9 * GIB, n_layers=52, kv_width=512, n_ctx_train=1_048_576, recurrent=300 * MIB)
MIXTURE = ToyModel(weights=18 * GIB, n_layers=48, kv_width=1024, n_ctx_train=262_144, n_expert_layers=48)
WINDOWED = ToyModel(weights=8 * GIB, n_layers=48, kv_width=4096, n_ctx_train=131_072, has_sliding_window=True)
COLOSSAL = ToyModel(weights=1340 * GIB, n_layers=61, kv_width=57_344, n_ctx_train=10_485_760, n_expert_layers=58)
SEEING = ToyModel(
    weights=5 * GIB, n_layers=36, kv_width=2048, n_ctx_train=131_072, projector=1200 * MIB, draft=640 * MIB
)


def needs(weights: int, kv: int, compute: int, runtime: int) -> Needs:
    """Return what a device holds, in MiB each."""
    return Needs(weights=weights * MIB, kv=kv * MIB, compute=compute * MIB, output=MIB, runtime=runtime * MIB)


MEASURED: tuple[MeasuredLoad, ...] = (
    measured_load(
        estimated=(
            DeviceNeed(HOST, needs(1120, 288, 140, 110)),
            DeviceNeed("CUDA0", needs(4000, 864, 400, 320)),
        ),
        measured=(DeviceNeed(HOST, needs(1120, 288, 152, 131)), DeviceNeed("CUDA0", needs(4000, 864, 392, 301))),
    ),
)
CPU_ONLY = Toy(model=EIGHT_B, rooms=(LAPTOP,))
LONG_CONTEXT = LoadSettings(n_ctx_cells=65_536)
TIGHT_CONTEXT = LoadSettings(n_ctx_cells=36_864)
ONE_GPU = (LAPTOP, card(0, "NVIDIA GeForce RTX 4070", 12, 11.2))
SMALL_GPU = (LAPTOP, card(0, "NVIDIA GeForce GTX 1650", 4, 3.4))
TWO_GPUS = (DESKTOP, card(0, "NVIDIA GeForce RTX 3090", 24, 23.1), card(1, "NVIDIA GeForce RTX 3060", 12, 9.4))
MANY_GPUS = (DESKTOP, *(card(number, "NVIDIA H200 SXM5 141GB HBM3e", 141, 139.5) for number in range(8)))
MIXED_KV = LoadSettings(n_ctx_cells=16_384, type_k=KvType.Q8_0, type_v=KvType.Q8_0, n_seq_max=4, kv_unified=False)
