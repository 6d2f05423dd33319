"""Decides with which settings a model is loaded: what is left open is chosen so that it fits."""

import logging
from dataclasses import replace

from quern.base import Cancelled, CancelToken, QuernError
from quern.fit import HOST, FitReport, FitUnknown, Goal, SettingsRefused, Verdict, Wish
from quern.runtime.fit.fit_session import FITTING, FitSession
from quern.runtime.fit.fit_text import advice_sentence
from quern.spec import LoadSettings

from .gpu_demand import GpuRequired
from .load_plan import DoesNotFit, LoadPlan, LoadTerms

logger = logging.getLogger(__name__)

SMALLEST_AUTOMATIC_CTX_CELLS = 512


def plan_load(session: FitSession, settings: LoadSettings, terms: LoadTerms, cancel: CancelToken) -> LoadPlan:
    """Return how to load the session's model.

    A context left open becomes one that fits; GPU layers left open become as many as fit. A model of which nobody can
    say what it takes is tried as it is. Raises DoesNotFit, SettingsRefused, DeviceGone, GpuRequired, and Cancelled.
    """
    asked = settings if terms.wish is None else _best(session, terms.wish, settings)
    report = _report(session, asked, cancel)
    if report is None:
        return LoadPlan((settings,))
    if report.verdict is Verdict.PARTIAL and settings.n_gpu_layers is None:
        asked = _best(session, Wish(goal=Goal.FASTEST), replace(asked, n_ctx_cells=report.settings.n_ctx_cells))
        report = _report(session, asked, cancel) or report
    if report.verdict not in FITTING and not terms.tries_too_large:
        report = _measured(session, asked, cancel) or report  # never refuse on the word of a formula alone
        if report.verdict not in FITTING:
            raise _refusal(session.entry.name, report)
    chosen = replace(asked, n_ctx_cells=asked.n_ctx_cells or report.settings.n_ctx_cells)
    if terms.requires_gpu and chosen.n_gpu_layers == 0:
        raise GpuRequired("No layer of this model fits on the GPU.")
    return LoadPlan((chosen, *_smaller(chosen, settings, terms, session)), report)


def _best(session: FitSession, wish: Wish, settings: LoadSettings) -> LoadSettings:
    try:
        return session.best(wish, settings)
    except SettingsRefused:
        raise
    except FitUnknown:
        return settings


def _report(session: FitSession, settings: LoadSettings, cancel: CancelToken) -> FitReport | None:
    try:
        return session.instant(settings)
    except SettingsRefused:
        raise
    except FitUnknown:
        return _measured(session, settings, cancel)


def _measured(session: FitSession, settings: LoadSettings, cancel: CancelToken) -> FitReport | None:
    try:
        return session.exact(settings, cancel)
    except Cancelled:
        raise
    except QuernError as error:
        logger.info("what the model takes cannot be measured before it is loaded: %s", error)
        return None


def _smaller(
    chosen: LoadSettings, settings: LoadSettings, terms: LoadTerms, session: FitSession
) -> tuple[LoadSettings, ...]:
    """Smaller settings than the chosen ones, as far as it was Quern who chose: fewer GPU layers, else less context."""
    uses_gpu = bool(session.limits.gpus) and chosen.n_gpu_layers != 0
    if uses_gpu:
        all_layers = session.limits.n_layer_all + 1
        layers = all_layers if chosen.n_gpu_layers is None else min(chosen.n_gpu_layers, all_layers)
        fewer = (layers * 3 // 4, layers // 2, *(() if terms.requires_gpu else (0,)))
        return tuple(replace(chosen, n_gpu_layers=n) for n in fewer) if settings.n_gpu_layers is None else ()
    if settings.n_ctx_cells is not None and terms.wish is None:
        return ()
    cells = chosen.n_ctx_cells or 0
    return tuple(replace(chosen, n_ctx_cells=n) for n in (cells // 2, cells // 4) if n >= SMALLEST_AUTOMATIC_CTX_CELLS)


def _refusal(model: str, report: FitReport) -> DoesNotFit:
    worst = min(report.devices, key=lambda device: device.spare)
    step = next((advice for advice in report.advice if advice.fits), None)
    return DoesNotFit(
        model=model,
        place="memory" if worst.room.device == HOST else f"the memory of {worst.room.label}",
        needed=worst.needs.total + worst.shared,
        free=worst.room.free + worst.room.reclaimable,
        step=f"This would help: {advice_sentence(step)}."
        if step
        else "Choose a smaller model, or close other programs.",
    )
