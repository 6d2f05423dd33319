"""A fit that is reckoned with a few simple numbers: what the fit panel's tests and pictures talk to."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import cast

from quern.base import CancelToken, QuernError
from quern.fit import (
    HOST,
    Advice,
    AdviceKind,
    DeviceFit,
    DeviceNeed,
    FitReport,
    Goal,
    Needs,
    Room,
    RoomKind,
    Source,
    Verdict,
    Wish,
)
from quern.models import ModelEntry
from quern.runtime import Companions, FitLimits, FitSession, Fitting, MeasuredLoad
from quern.spec import KvType, LoadSettings

MIB, GIB = 1 << 20, 1 << 30
BYTES_OF_TYPE = {KvType.F16: 2.0, KvType.Q8_0: 34 / 32, KvType.Q5_1: 24 / 32, KvType.Q4_0: 18 / 32}
ORDINARY_ROOM = Room(
    device=HOST,
    label="AMD Ryzen 7 7840U",
    kind=RoomKind.HOST,
    total=16 * GIB,
    free=11 * GIB,
    margin=GIB,
    own=0,
    reclaimable=0,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToyModel:
    """A model in a few numbers; `kv_width` are the elements that one token takes in one layer, K and V together."""

    weights: int = 98 * MIB
    n_layers: int = 30
    kv_width: int = 384
    n_ctx_train: int = 8192
    recurrent: int = 0
    n_expert_layers: int = 0
    expert_share: float = 0.9
    has_sliding_window: bool = False
    projector: int = 0
    draft: int = 0


@dataclass(kw_only=True)
class Toy:
    """What the stand-in answers with: the model, the machine, and how things go wrong."""

    model: ToyModel = field(default_factory=ToyModel)
    rooms: tuple[Room, ...] = (ORDINARY_ROOM,)
    measured: tuple[MeasuredLoad, ...] = ()
    refused_open: QuernError | None = None
    refuse: Callable[[LoadSettings], QuernError | None] = lambda _settings: None
    refused_exact: QuernError | None = None
    exact_may_go: Event = field(default_factory=Event)
    exact_factor: float = 1.004
    opened: list[str] = field(default_factory=list[str])
    companions: list[Companions] = field(default_factory=list[Companions])
    asked_exact: list[LoadSettings] = field(default_factory=list[LoadSettings])
    n_cancelled: int = 0

    def __post_init__(self) -> None:
        self.exact_may_go.set()


class StandInFitting:
    """Opens sessions on a Toy: by model name where one is named, else on the ordinary one."""

    def __init__(self) -> None:
        self.toy = Toy()
        self.toys: dict[str, Toy] = {}

    @property
    def as_fitting(self) -> Fitting:
        """This, as the window takes it."""
        return cast("Fitting", self)

    def open(self, entry: ModelEntry, companions: Companions, cancel: CancelToken | None = None) -> FitSession:
        toy = self.toys.get(entry.name, self.toy)
        if cancel is not None:
            cancel.raise_if_cancelled()
        toy.opened.append(entry.name)
        toy.companions.append(companions)
        if toy.refused_open is not None:
            raise toy.refused_open
        return cast("FitSession", StandInSession(entry, toy))


class StandInSession:
    """Answers as quern.runtime.FitSession does, from a Toy."""

    def __init__(self, entry: ModelEntry, toy: Toy) -> None:
        self.entry = entry
        self.toy = toy
        self.limits = FitLimits(
            n_ctx_train=toy.model.n_ctx_train,
            n_layer_all=toy.model.n_layers,
            n_expert_layers=toy.model.n_expert_layers,
            has_sliding_window=toy.model.has_sliding_window,
            gpus=tuple(room.label for room in toy.rooms if room.kind is not RoomKind.HOST),
        )

    def resolved(self, settings: LoadSettings) -> LoadSettings:
        cells = settings.n_ctx_cells or min(4096, self.toy.model.n_ctx_train)
        return replace(settings, n_ctx_cells=-(-cells // 256) * 256)

    def instant(self, settings: LoadSettings) -> FitReport:
        if (refusal := self.toy.refuse(settings)) is not None:
            raise refusal
        return self._report(self.resolved(settings), Source.INSTANT)

    def exact(self, settings: LoadSettings, cancel: CancelToken) -> FitReport:
        self.toy.asked_exact.append(settings)
        while not self.toy.exact_may_go.wait(0.005):
            if cancel.is_cancelled:
                self.toy.n_cancelled += 1
                cancel.raise_if_cancelled()
        if self.toy.refused_exact is not None:
            raise self.toy.refused_exact
        return self._report(self.resolved(settings), Source.EXACT)

    def best(self, wish: Wish, base: LoadSettings) -> LoadSettings:
        settings = self.resolved(base)
        if wish.goal is Goal.USERS:
            settings = replace(settings, n_seq_max=wish.n_users)
        if wish.allows_quantized_kv:
            settings = replace(settings, type_k=KvType.Q8_0, type_v=KvType.Q8_0)
        if self.limits.gpus:
            settings = self._with_most_layers(settings)
        largest = self._largest(settings)
        if wish.goal is Goal.LONGEST_CONTEXT and largest is not None:
            settings = replace(settings, n_ctx_cells=largest)
        return settings

    def measured(self) -> tuple[MeasuredLoad, ...]:
        return self.toy.measured

    def _with_most_layers(self, settings: LoadSettings) -> LoadSettings:
        choices = (replace(settings, n_gpu_layers=n) for n in range(self.limits.n_layer_all + 1, 0, -1))
        return next((choice for choice in choices if self._verdict(choice) is Verdict.FITS), settings)

    def _report(self, settings: LoadSettings, source: Source) -> FitReport:
        factor = self.toy.exact_factor if source is Source.EXACT else 1.0
        verdict = self._verdict(settings)
        if verdict is Verdict.TOO_LARGE and self.limits.gpus:
            fewer = (replace(settings, n_gpu_layers=n) for n in range(self.limits.n_layer_all + 1))
            verdict = Verdict.PARTIAL if any(self._fits(one) for one in fewer) else verdict
        return FitReport(
            settings=settings,
            n_ctx_cells=settings.n_ctx_cells or 0,
            n_ctx_train=self.toy.model.n_ctx_train,
            verdict=verdict,
            largest_ctx_cells=self._largest(settings),
            devices=self._devices(settings, factor),
            advice=() if verdict is Verdict.FITS else tuple(self._advice(settings)),
            source=source,
        )

    def _devices(self, settings: LoadSettings, factor: float = 1.0) -> tuple[DeviceFit, ...]:
        needs = self._needs(settings)
        scaled = [
            replace(need, compute=round(need.compute * factor), runtime=round(need.runtime * factor)) for need in needs
        ]
        pairs = list(zip(self.toy.rooms, scaled, strict=True))
        shared = sum(need.total for room, need in pairs if room.kind is RoomKind.UNIFIED)
        return tuple(DeviceFit(room, need, shared if room.device == HOST else 0) for room, need in pairs)

    def _needs(self, settings: LoadSettings) -> list[Needs]:
        model, n_gpus = self.toy.model, len(self.toy.rooms) - 1
        n_all = model.n_layers + 1
        on_gpu = 0 if not n_gpus else min(n_all, n_all if settings.n_gpu_layers is None else settings.n_gpu_layers)
        shares = [(n_all - on_gpu) / n_all, *(on_gpu / n_all / n_gpus for _ in range(n_gpus))]
        experts = model.weights * model.expert_share if model.n_expert_layers else 0.0
        moved = experts * min(1.0, settings.n_cpu_moe_layers / max(1, model.n_expert_layers)) * (on_gpu / n_all)
        kv = self._kv(settings)
        found: list[Needs] = []
        for index, share in enumerate(shares):
            is_host, is_used = index == 0, share > 0
            weights = model.weights * share + (moved if is_host else -moved / max(1, n_gpus))
            found.append(
                Needs(
                    weights=round(weights),
                    kv=round(kv * share),
                    recurrent=round(model.recurrent * share * settings.n_seq_max),
                    compute=round((64 * MIB + kv * 0.06) if is_used else 8 * MIB),
                    output=MIB if is_host else 0,
                    projector=model.projector if is_host is not bool(n_gpus) and index <= 1 else 0,
                    draft=model.draft if is_host is not bool(n_gpus) and index <= 1 else 0,
                    runtime=110 * MIB if is_host else 320 * MIB * is_used,
                )
            )
        return found

    def _kv(self, settings: LoadSettings) -> float:
        model = self.toy.model
        each = BYTES_OF_TYPE[settings.type_k] * model.kv_width
        cells = float(settings.n_ctx_cells or 0)
        if model.has_sliding_window and not settings.swa_full:
            cells = cells / 6 + 1024 * 5 / 6
        return cells * model.n_layers * each

    def _verdict(self, settings: LoadSettings) -> Verdict:
        devices = self._devices(settings)
        if any(device.left < 0 for device in devices):
            return Verdict.TOO_LARGE
        return Verdict.FITS if all(device.spare >= 0 for device in devices) else Verdict.TIGHT

    def _fits(self, settings: LoadSettings) -> bool:
        return self._verdict(settings) is not Verdict.TOO_LARGE

    def _largest(self, settings: LoadSettings) -> int | None:
        low, high = 0, -(-self.toy.model.n_ctx_train // 256)
        while low < high:
            middle = (low + high + 1) // 2
            if self._verdict(replace(settings, n_ctx_cells=middle * 256)) is Verdict.FITS:
                low = middle
            else:
                high = middle - 1
        return low * 256 or None

    def _advice(self, settings: LoadSettings) -> Iterator[Advice]:
        if settings.n_seq_max > 1 and self.toy.model.recurrent:
            yield self._step(AdviceKind.FEWER_SEQUENCES, "1", settings, n_seq_max=1)
        if self.toy.model.has_sliding_window and settings.swa_full:
            yield self._step(AdviceKind.SLIDING_WINDOW, "", settings, swa_full=False)
        if self.limits.gpus and self.limits.n_expert_layers > settings.n_cpu_moe_layers:
            n_layers = self.limits.n_expert_layers
            detail = f"{n_layers} of {n_layers} layers"
            yield self._step(AdviceKind.EXPERTS_TO_CPU, detail, settings, n_cpu_moe_layers=n_layers)
        if self.limits.gpus and settings.n_gpu_layers != 0:
            fewer = self._with_most_layers(settings).n_gpu_layers or 0
            detail = f"{fewer} of {self.limits.n_layer_all + 1} layers"
            yield self._step(AdviceKind.FEWER_GPU_LAYERS, detail, settings, n_gpu_layers=fewer)
        largest = self._largest(settings)
        if largest is not None and largest < (settings.n_ctx_cells or 0):
            yield self._step(AdviceKind.SMALLER_CONTEXT, f"{largest:,}", settings, n_ctx_cells=largest)
        for kind in (KvType.Q8_0, KvType.Q4_0):
            if BYTES_OF_TYPE[kind] < BYTES_OF_TYPE[settings.type_k]:
                yield self._step(AdviceKind.KV_TYPE, kind.value, settings, type_k=kind, type_v=kind)
        yield Advice(
            kind=AdviceKind.SMALLER_QUANTIZATION,
            device=HOST,
            gain=self.toy.model.weights // 4,
            detail="Q3_K_M",
            fits=False,
            settings=None,
        )

    def _step(self, kind: AdviceKind, detail: str, settings: LoadSettings, **changes: object) -> Advice:
        after = replace(settings, **changes)  # pyright: ignore[reportArgumentType]  # names and values go together
        gains = [
            (room.device, before.total - need.total)
            for room, before, need in zip(self.toy.rooms, self._needs(settings), self._needs(after), strict=True)
        ]
        device, gain = max(gains, key=lambda one: one[1])
        return Advice(kind=kind, device=device, gain=gain, detail=detail, fits=self._fits(after), settings=after)


def measured_load(estimated: Sequence[DeviceNeed], measured: Sequence[DeviceNeed], **changes: int) -> MeasuredLoad:
    """Return a load that was measured, at a context of 4,096."""
    settings = LoadSettings(n_ctx_cells=4096)
    return MeasuredLoad(
        loaded_at=1_764_600_000.0,
        settings=replace(settings, **changes),  # pyright: ignore[reportArgumentType]
        estimated=tuple(estimated),
        measured=tuple(measured),
        resident_bytes=sum(need.needs.total for need in measured),
    )
