"""What `quern fit` does: find the model, ask, and print the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from quern.base import CancelToken, Json, QuernError, WorkerFailed
from quern.fit import FitReport, FitUnknown, Goal, Verdict, Wish
from quern.models import ModelEntry
from quern.runtime import Companions, FitSession, MeasuredLoad
from quern.settings import Settings
from quern.spec import LoadSettings, settings_to_json

from .failure import say
from .fit_table import fit_tables
from .interrupt import on_interrupt
from .option import Style
from .output import print_json, print_rich
from .visit import visit

_ALWAYS = ("weights", "kv", "recurrent", "compute", "output", "runtime")
_WHERE_PRESENT = ("projector", "draft", "adapters")


@dataclass(eq=False)
class NoEngine(QuernError):
    """A measurement is asked for where there is no llama.cpp."""

    sentence = "There is no engine here that could measure it."
    advice = "Ask for an estimate with --instant, or install Quern again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line asks for; None where it says nothing. `wants_exact` None: exact where there is an engine.

    `choices` are settings by their key.
    """

    model: str
    choices: Mapping[str, int | str | None]
    companions: Companions
    goal: str | None
    wants_exact: bool | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A report on a model, the settings that a goal chose, and what loads took before, newest first."""

    entry: ModelEntry
    report: FitReport
    best: LoadSettings | None
    measured: tuple[MeasuredLoad, ...]


def answer_fit(asked: Asked, style: Style) -> None:
    """Print whether the model fits. Raises what stops it, before anything is printed."""
    cancel = CancelToken()
    with on_interrupt(cancel.cancel), visit("quern fit") as here:
        entry = here.find(asked.model)
        entry.require_facts()
        chosen = {key: value for key, value in asked.choices.items() if value is not None}
        settings = here.settings.with_choices(chosen)
        session = here.fitting.open(entry, asked.companions, cancel)
        answer = _answer(session, settings, asked, cancel)
    if style is Style.JSON:
        print_json(_document(answer))
    else:
        print_rich(*fit_tables(answer.entry, answer.report, answer.best, answer.measured))


def _answer(session: FitSession, settings: Settings, asked: Asked, cancel: CancelToken) -> Answer:
    load, best = settings.load, None
    if (wish := _wish(asked, settings)) is not None:
        load = best = session.best(wish, load)
    report = _report(session, load, asked.wants_exact, cancel)
    if report.verdict is Verdict.PARTIAL and asked.choices["load.n_gpu_layers"] == -1:
        load = best = session.best(Wish(), replace(load, n_ctx_cells=report.settings.n_ctx_cells))
        report = _report(session, load, asked.wants_exact, cancel)
    return Answer(session.entry, report, best, session.measured())


def _wish(asked: Asked, settings: Settings) -> Wish | None:
    """What the command line asks for; where it asks for nothing, what a load would be best for."""
    if asked.goal is None:
        is_plain = all(value is None for value in asked.choices.values())
        return settings.load_wish if is_plain else None
    return Wish(
        goal=Goal(asked.goal.replace("-", "_")),
        n_users=settings.load.n_seq_max,
        allows_quantized_kv=settings.get("load.allow_quantized_kv") is True,
    )


def _report(session: FitSession, load: LoadSettings, wants_exact: bool | None, cancel: CancelToken) -> FitReport:
    if wants_exact is False:
        return session.instant(load)
    try:
        return session.exact(load, cancel)
    except FitUnknown as unknown:
        if not _is_without_engine(unknown):
            raise
        if wants_exact:
            raise NoEngine() from unknown
        say("There is no engine to measure it, so this is an estimate from the file's header.")
        return session.instant(load)


def _is_without_engine(unknown: FitUnknown) -> bool:
    cause = unknown.__cause__
    return isinstance(cause, WorkerFailed) and cause.kind == "LibraryMissing"


def _document(answer: Answer) -> dict[str, Json]:
    """What `--json` tells, in bytes and tokens; `settings` are there where a goal chose them."""
    report = answer.report
    document: dict[str, Json] = {
        "model": answer.entry.name,
        "n_ctx": report.n_ctx_cells,
        "verdict": report.verdict.value,
        "largest_ctx": report.largest_ctx_cells,
        "devices": [_device(report, index) for index in range(len(report.devices))],
        "advice": [
            {
                "kind": advice.kind.value,
                "detail": advice.detail,
                "device": advice.device,
                "gain": advice.gain,
                "fits": advice.fits,
            }
            for advice in report.advice
        ],
        "source": report.source.value,
    }
    return document if answer.best is None else {**document, "settings": settings_to_json(answer.best)}


def _device(report: FitReport, index: int) -> dict[str, Json]:
    device = report.devices[index]
    room = device.room
    sizes = {name: int(getattr(device.needs, name)) for name in (*_ALWAYS, *_WHERE_PRESENT)}
    return {
        "name": room.device,
        "total": room.total,
        "free": room.free,
        **{name: size for name, size in sizes.items() if name in _ALWAYS or size},
        "other": room.other,
    }
