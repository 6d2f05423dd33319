"""A fit session whose estimators say what a test tells them, on a machine that a test makes up."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.gguf.forge import TinyModel, forge_llama_model

from quern.base import CancelToken, QuernError
from quern.fit import HOST, Circumstances, DeviceNeed, Needs, Room, RoomKind, Source, leeway_of, shape_of
from quern.gguf import inspect_model, read_model_header
from quern.models import ModelEntry, Origin
from quern.runtime.fit.fit_session import FitGround, FitLimits, FitSession
from quern.runtime.load.rung import Rung
from quern.spec import LoadSettings

GIB, MIB = 1024**3, 1024**2
N_CTX_TRAIN = 131072


@dataclass(kw_only=True)
class ScriptedEstimator:
    """Weights that GPU layers move from the host to a card, and a KV cache that grows with the context.

    With `failure` it raises that instead. It keeps what it was asked.
    """

    source: Source = Source.INSTANT
    weights: int = GIB
    kv_per_cell: int = 64 * 1024
    n_layers: int = 3
    card: str | None = None
    failure: QuernError | None = None
    asked: list[LoadSettings] = field(default_factory=list[LoadSettings])

    def needs(self, settings: LoadSettings) -> tuple[DeviceNeed, ...]:
        """Return what the devices must hold."""
        self.asked.append(settings)
        if self.failure is not None:
            raise self.failure
        assert settings.n_ctx_cells is not None, "an estimator is asked about settings that leave nothing open"
        kv = settings.n_ctx_cells * self.kv_per_cell
        if self.card is None:
            return (DeviceNeed(HOST, Needs(weights=self.weights, kv=kv)),)
        layers = self.n_layers if settings.n_gpu_layers is None else min(settings.n_gpu_layers, self.n_layers)
        on_card = self.weights * layers // self.n_layers
        return (
            DeviceNeed(HOST, Needs(weights=self.weights - on_card)),
            DeviceNeed(self.card, Needs(weights=on_card, kv=kv)),
        )


def host(free: int, *, reclaimable: int = 0) -> Room:
    """Return a machine's memory with `free` bytes free, of which none is kept."""
    return Room(
        device=HOST,
        label="A CPU",
        kind=RoomKind.HOST,
        total=64 * GIB,
        free=free,
        own=reclaimable,
        reclaimable=reclaimable,
    )


def card(free: int) -> Room:
    """Return a card with `free` bytes free."""
    return Room(device="CUDA0", label="A card", kind=RoomKind.GPU, total=8 * GIB, free=free)


def model_entry(path: Path, metadata: dict[str, object] | None = None) -> ModelEntry:
    """Write a tiny model with a long trained context at `path`, and return its entry."""
    forge_llama_model(path, TinyModel(metadata={"llama.context_length": N_CTX_TRAIN, **(metadata or {})}))
    return ModelEntry(
        name=path.stem,
        path=path,
        shards=(path,),
        size_bytes=path.stat().st_size,
        origin=Origin.ADDED,
        facts=inspect_model(path),
    )


def session(
    entry: ModelEntry,
    rooms: tuple[Room, ...],
    instant: ScriptedEstimator,
    exact: Callable[[CancelToken], ScriptedEstimator] | None = None,
    learned: list[tuple[LoadSettings, tuple[DeviceNeed, ...]]] | None = None,
    rung: Rung = Rung.EVERYTHING,
) -> FitSession:
    """Return a session in these rooms; `learned` collects what it learns."""
    header = read_model_header(entry.path)
    shape = shape_of(header)
    lessons = [] if learned is None else learned

    def learn(settings: LoadSettings, measured: tuple[DeviceNeed, ...]) -> ScriptedEstimator:
        lessons.append((settings, measured))
        return instant

    ground = FitGround(
        shape=shape,
        leeway=leeway_of(shape, header),
        circumstances=Circumstances(
            n_ctx_train=shape.n_ctx_train, n_head=4, default_threads=2, max_threads=4, uses_gpu=len(rooms) > 1
        ),
        rooms=rooms,
        rung=rung,
        instant=instant,
        exact=exact or (lambda _cancel: instant),
        learn=learn,
        recall=lambda: (),
    )
    limits = FitLimits(
        n_ctx_train=shape.n_ctx_train,
        n_layer_all=shape.n_layer_all,
        n_expert_layers=0,
        has_sliding_window=False,
        gpus=tuple(room.label for room in rooms if room.device != HOST),
    )
    return FitSession(entry, limits, ground)
