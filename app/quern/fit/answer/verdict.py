"""Judges one way to load one model: does it fit, with how much context, and what would help."""

from collections.abc import Iterable

from quern.fit.buffer.kv_cache import context_cells
from quern.fit.estimator import Estimator
from quern.fit.report import FitReport, Verdict
from quern.fit.room import Room
from quern.spec import LoadSettings

from .advice import advise
from .attempt import Attempts, Outcome
from .gpu_share import lightest
from .largest import largest_ctx
from .leeway import Leeway

_UNKNOWN = Leeway()


def judge(
    estimator: Estimator,
    settings: LoadSettings,
    rooms: Iterable[Room],
    n_ctx_train: int,
    leeway: Leeway = _UNKNOWN,
) -> FitReport:
    """Return the whole answer for `settings`, which leave nothing open.

    `leeway` makes the search shorter and the advice more exact. Raises FitUnknown, SettingsRefused for
    settings that the engine does not take, DeviceGone where a GPU of the estimator has no room, and whatever the
    estimator raises.
    """
    attempts = Attempts(estimator, tuple(rooms))
    found = attempts.outcome(settings)
    verdict = _verdict(attempts, settings, found, leeway)
    cells = context_cells(settings).n_ctx
    return FitReport(
        settings=settings,
        n_ctx_cells=cells,
        n_ctx_train=n_ctx_train,
        verdict=verdict,
        largest_ctx_cells=largest_ctx(attempts, settings, n_ctx_train if n_ctx_train > 0 else cells),
        devices=found.devices,
        advice=advise(attempts, settings, leeway),
        source=estimator.source,
    )


def _verdict(attempts: Attempts, settings: LoadSettings, found: Outcome, leeway: Leeway) -> Verdict:
    if found.fits:
        return Verdict.FITS
    if found.left >= 0:
        return Verdict.TIGHT
    lighter = lightest(attempts, settings, leeway)
    return Verdict.PARTIAL if lighter is not None and lighter.left >= 0 else Verdict.TOO_LARGE
