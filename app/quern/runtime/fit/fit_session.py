"""Everything that can be asked about how one model would fit on this machine."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from quern.base import CancelToken
from quern.fit import (
    Circumstances,
    DeviceNeed,
    Estimator,
    FitReport,
    FitUnknown,
    Leeway,
    ModelShape,
    Room,
    SettingsRefused,
    Source,
    Verdict,
    Wish,
    best_settings,
    judge,
    resolve,
)
from quern.models import ModelEntry
from quern.runtime.load.rung import Rung
from quern.spec import LoadSettings

from .anchored import Anchored
from .measured_load import MeasuredLoad

FITTING = frozenset({Verdict.FITS, Verdict.TIGHT})
NOTHING_SET = LoadSettings()
MOST_MEASURED_CONTEXTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FitLimits:
    """How far each choice goes for one model on one machine.

    The slider of GPU layers ends at `n_layer_all` + 1, because the output head counts as a layer. `n_expert_layers` is
    0 for a model without experts. `gpus` are people's names of the GPUs that the engine can use.
    """

    n_ctx_train: int
    n_layer_all: int
    n_expert_layers: int
    has_sliding_window: bool
    gpus: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FitGround:
    """What a session stands on: the model's shape, the machine's memory, those who estimate, and what is remembered.

    `rung` is what the model proved to do without on this machine.
    `exact` makes the estimator that asks llama.cpp until the token cancels it. `learn` is told settings that leave
    nothing open and what llama.cpp says they take, and returns the instant estimator that has learned from it.
    """

    shape: ModelShape
    leeway: Leeway
    circumstances: Circumstances
    rooms: tuple[Room, ...]
    rung: Rung
    instant: Estimator
    exact: Callable[[CancelToken], Estimator]
    learn: Callable[[LoadSettings, tuple[DeviceNeed, ...]], Estimator]
    recall: Callable[[], tuple[MeasuredLoad, ...]]


class AsLoaded:
    """Estimates settings as a load closes them: a longer context may come with a smaller ubatch (see `resolve`)."""

    def __init__(self, estimator: Estimator, closed: Callable[[LoadSettings], LoadSettings]) -> None:
        self._estimator = estimator
        self._closed = closed

    @property
    def source(self) -> Source:
        """How it knows."""
        return self._estimator.source

    def needs(self, settings: LoadSettings) -> tuple[DeviceNeed, ...]:
        """Return what each device must hold. Raises what the estimator raises."""
        return self._estimator.needs(self._closed(settings))


class FitSession:
    """Answers for one model and its companions; made by `Fitting.open`, which asked the machine once.

    Safe in any thread; `instant`, `best` and `resolved` are quick enough for a slider, `exact` belongs into a job.
    """

    def __init__(self, entry: ModelEntry, limits: FitLimits, ground: FitGround) -> None:
        self.entry = entry
        self.limits = limits
        self._ground = ground
        self._instant = ground.instant

    def resolved(self, settings: LoadSettings) -> LoadSettings:
        """Return `settings` with every open choice closed as a load closes it, without what the model cannot do here.

        An open context becomes the smaller of the trained one and 4,096 cells, or the largest below that fits.
        """
        if settings.n_ctx_cells is None:
            with suppress(FitUnknown):
                return self._answer(self._instant, settings).settings
        return self._closed(settings)

    def instant(self, settings: LoadSettings) -> FitReport:
        """Return the closed formulas' answer; below a millisecond plus the search for the largest context.

        Raises FitUnknown where the header does not say enough.
        """
        return self._answer(self._instant, settings)

    def exact(self, settings: LoadSettings, cancel: CancelToken) -> FitReport:
        """Return llama.cpp's own measurement, made in a child process; what it shows is learned.

        llama.cpp is asked about the settings and about the largest context; advice goes by the formulas' differences
        to what it said. Raises FitUnknown, SettingsRefused, DeviceGone, quern.gguf's errors for a file that is not
        the same any more, and Cancelled.
        """
        exact = self._ground.exact(cancel)
        # Where the formulas know nothing, llama.cpp is asked everything.
        report = self._anchored(exact, settings) if self._is_known(settings) else self._answer(exact, settings)
        self.learn(report.settings, tuple(DeviceNeed(device.room.device, device.needs) for device in report.devices))
        return report

    def best(self, wish: Wish, base: LoadSettings = NOTHING_SET) -> LoadSettings:
        """Return the best settings for `wish`; what it does not decide stays as in `base`. Raises FitUnknown."""
        ground = self._ground
        return best_settings(
            AsLoaded(self._instant, self._closed), self._closed(base), ground.rooms, wish, ground.shape
        )

    def needs(self, settings: LoadSettings) -> tuple[DeviceNeed, ...]:
        """Return what the closed formulas say of settings that leave nothing open. Raises FitUnknown."""
        return self._instant.needs(settings)

    def learn(self, settings: LoadSettings, measured: tuple[DeviceNeed, ...]) -> None:
        """Have the instant answers learn from what llama.cpp says that `settings`, which leave nothing open, take."""
        self._instant = self._ground.learn(settings, measured)

    def measured(self) -> tuple[MeasuredLoad, ...]:
        """Return what loads of this model took here, newest first. Raises nothing: unreadable memory is none."""
        return self._ground.recall()

    def _anchored(self, exact: Estimator, settings: LoadSettings) -> FitReport:
        anchored = Anchored(self._instant, exact)
        asked = self.resolved(settings)
        anchored.anchor(asked)
        report = self._judge(anchored, asked)
        for _ in range(MOST_MEASURED_CONTEXTS):
            if report.largest_ctx_cells is None:
                break
            largest = self._closed(replace(asked, n_ctx_cells=report.largest_ctx_cells))
            if anchored.knows(largest):
                break
            anchored.anchor(largest)
            report = self._judge(anchored, asked)
        return self._answer(anchored, settings) if settings.n_ctx_cells is None else report

    def _is_known(self, settings: LoadSettings) -> bool:
        try:
            self._instant.needs(self._closed(settings))
        except SettingsRefused:
            raise
        except FitUnknown:
            return False
        return True

    def _answer(self, estimator: Estimator, settings: LoadSettings) -> FitReport:
        report = self._judge(estimator, self._closed(settings))
        largest = report.largest_ctx_cells
        if settings.n_ctx_cells is not None or report.verdict in FITTING or largest is None:
            return report
        if largest >= report.n_ctx_cells:
            return report
        return self._judge(estimator, self._closed(replace(settings, n_ctx_cells=largest)))

    def _judge(self, estimator: Estimator, settings: LoadSettings) -> FitReport:
        ground = self._ground
        as_loaded = AsLoaded(estimator, self._closed)
        return judge(as_loaded, settings, ground.rooms, self.limits.n_ctx_train, ground.leeway)

    def _closed(self, settings: LoadSettings) -> LoadSettings:
        where, settings = self._ground.circumstances, self._ground.rung.applied_to(settings)
        keeps_to_cpu = settings.n_gpu_layers is not None and settings.n_gpu_layers <= 0
        return resolve(settings, replace(where, uses_gpu=where.uses_gpu and not keeps_to_cpu))
