"""Reports to show in the fit panel's tests."""

from quern.fit import HOST, FitReport, Room, RoomKind
from quern.spec import LoadSettings
from tests.gui.stand_in import model_entry
from tests.gui.stand_in_fit import GIB, StandInSession, Toy, ToyModel

LAPTOP = Room(device=HOST, label="Ryzen", kind=RoomKind.HOST, total=16 * GIB, free=11 * GIB, margin=GIB)
CARD = Room(device="CUDA0", label="RTX 4070", kind=RoomKind.GPU, total=12 * GIB, free=11 * GIB, margin=GIB // 2)
EIGHT_B = ToyModel(weights=5 * GIB, n_layers=36, kv_width=2048, n_ctx_train=131_072)


def session(model: ToyModel = EIGHT_B, *rooms: Room) -> StandInSession:
    """Return what answers for `model` on `rooms` (a laptop without a GPU)."""
    return StandInSession(model_entry(), Toy(model=model, rooms=rooms or (LAPTOP,)))


def report(n_ctx_cells: int = 8192, *rooms: Room, **changes: int) -> FitReport:
    """Return how an 8B model fits."""
    settings = LoadSettings(n_ctx_cells=n_ctx_cells, **changes)  # pyright: ignore[reportArgumentType]  # by name
    return session(EIGHT_B, *rooms).instant(settings)
