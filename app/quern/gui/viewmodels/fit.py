"""How one model would fit: its session, the settings under consideration, and the newest answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from quern.base import JobPool
from quern.gui.bridge import Bridge

from .failure import Failure, failure_of
from .latest import Latest, Overtaken

if TYPE_CHECKING:
    from quern.base import Job, QuernError
    from quern.fit import FitReport, Wish
    from quern.models import ModelEntry
    from quern.runtime import Companions, FitSession, Fitting, MeasuredLoad
    from quern.spec import LoadSettings

EXACT_DELAY_MS = 300


class FitPhase(Enum):
    """What a fitter knows: of no model, a model whose header is being read, one that answers, or why it cannot."""

    EMPTY = auto()
    OPENING = auto()
    READY = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class _Opened:
    """A session with where it begins: settings, their report, what loads took before, and what reset leads to."""

    session: FitSession
    settings: LoadSettings
    report: FitReport
    measured: tuple[MeasuredLoad, ...]
    base: LoadSettings | None = None


class Fitter(QObject):
    """Owns the question "how does this model fit?" for one panel.

    `changed` follows the phase, `answered` every answer (`report`, which is exact once llama.cpp was asked), `checked`
    whether llama.cpp is being asked. A slider's answer comes from the closed formulas in a thread of its own, of which
    only the newest question waits; 300 ms after the last change llama.cpp itself is asked in a job, which the next
    change cancels.
    """

    changed = Signal()
    answered = Signal()
    checked = Signal()

    def __init__(self, bridge: Bridge, jobs: JobPool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fitting: Fitting | None = None
        self._quick = JobPool("quern-fit", 1)
        self._opening = Latest[_Opened](bridge, jobs, Overtaken.DROPPED, self._take_opened, self._fail)
        self._instant = Latest["tuple[LoadSettings, FitReport]"](
            bridge, self._quick, Overtaken.SHOWN, self._take_instant, self._refuse
        )
        self._best = Latest["LoadSettings"](bridge, self._quick, Overtaken.DROPPED, self.change, self._refuse)
        self._exact = Latest["FitReport"](bridge, jobs, Overtaken.DROPPED, self._take_exact, self._doubt)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(EXACT_DELAY_MS)
        self._pause.timeout.connect(self._ask_exact)
        self._base: LoadSettings | None = None
        self._wish: Wish | None = None
        self._companions: Companions | None = None
        self._answered: LoadSettings | None = None
        self.phase = FitPhase.EMPTY
        self.entry: ModelEntry | None = None
        self.session: FitSession | None = None
        self.settings: LoadSettings | None = None
        self.report: FitReport | None = None
        self.measured: tuple[MeasuredLoad, ...] = ()
        self.failure: Failure | None = None
        self.doubt: Failure | None = None

    def open(self, fitting: Fitting) -> None:
        """Use `fitting` from now on."""
        self._fitting = fitting

    def close(self) -> None:
        """Ask nothing any more."""
        self.show(None)
        self._quick.close()

    @property
    def is_checking(self) -> bool:
        """Whether llama.cpp itself is being asked, or about to be."""
        return self._pause.isActive() or self._exact.is_running or self._instant.is_running

    @property
    def is_current(self) -> bool:
        """Whether `report` (or `failure`) answers the settings that are considered now."""
        return self._answered == self.settings

    @property
    def is_changed(self) -> bool:
        """Whether other settings are considered than a load would use by itself."""
        return self.settings != self._base

    @property
    def companion_names(self) -> tuple[str, ...]:
        """The files that would be loaded with the model."""
        with_it = self._companions
        if with_it is None:
            return ()
        return tuple(path.name for path in (with_it.projector, with_it.draft, *with_it.adapters) if path is not None)

    def show(
        self,
        entry: ModelEntry | None,
        settings: LoadSettings | None = None,
        wish: Wish | None = None,
        companions: Companions | None = None,
    ) -> None:
        """Ask about `entry` (None: about nothing) and its `companions`.

        It begins with `settings`, or with the best ones for `wish`.
        """
        fitting = self._fitting
        self._drop_questions()
        self.entry, self.session, self.report = entry, None, None
        self.settings = self._base = settings
        self._wish, self._companions = wish, companions
        self.measured, self.failure, self.doubt = (), None, None
        is_asked = entry is not None and fitting is not None and settings is not None
        self.phase = FitPhase.OPENING if is_asked else FitPhase.EMPTY
        if entry is not None and fitting is not None and settings is not None:
            self._opening.ask(lambda job: self._opened(job, fitting, entry, settings))
        self.changed.emit()

    def retry(self) -> None:
        """Ask once more about what could not be answered."""
        self.show(self.entry, self.settings, self._wish, self._companions)

    def forget_answers(self) -> None:
        """What is shown may not hold any more: the next `show` asks, whatever is shown already."""
        self._drop_questions()
        self.phase = FitPhase.EMPTY

    def renew(self, loaded: LoadSettings | None = None) -> None:
        """Ask the same again: memory is used otherwise than it was; `loaded` are what the model was loaded with."""
        fitting, entry = self._fitting, self.entry
        settings = loaded or self.settings
        base = loaded or (self._base if self.phase is FitPhase.READY else None)
        if fitting is None or entry is None or settings is None or self.phase is FitPhase.EMPTY:
            return
        if self.phase is not FitPhase.OPENING or loaded is not None:
            self._wish = None
        self._drop_questions()
        self._opening.ask(lambda job: replace(self._opened(job, fitting, entry, settings), base=base))

    def change(self, settings: LoadSettings) -> None:
        """Consider `settings`: the formulas answer at once, llama.cpp when nothing changed for a moment."""
        session = self.session
        if session is None:
            return
        self.settings = settings
        self._best.drop()
        self._exact.drop()
        self._pause.stop()
        self._instant.ask(lambda _job: (settings, session.instant(settings)))

    def choose_best(self, wish: Wish) -> None:
        """Consider the best settings for `wish`; what it does not decide stays as it is."""
        session, settings = self.session, self.settings
        if session is not None and settings is not None:
            self._best.ask(lambda _job: session.best(wish, settings))

    def reset(self) -> None:
        """Consider again what was shown first."""
        if self._base is not None:
            self.change(self._base)

    def _drop_questions(self) -> None:
        for question in (self._opening, self._instant, self._best, self._exact):
            question.drop()
        self._pause.stop()

    def _opened(self, job: Job[_Opened], fitting: Fitting, entry: ModelEntry, settings: LoadSettings) -> _Opened:
        """Read the header and begin where a load would: GPU layers that are left open become as many as fit.

        In a job; what it reads of the fitter changes only after the job was dropped.
        """
        from quern.fit import Goal, Verdict, Wish
        from quern.runtime import Companions

        wish = self._wish
        session = fitting.open(entry, self._companions or Companions(), job.cancel_token)
        if wish is not None:
            settings = session.best(wish, settings)
        report = session.instant(settings)
        if report.verdict is Verdict.PARTIAL and settings.n_gpu_layers is None:
            settings = session.best(Wish(goal=Goal.FASTEST), replace(settings, n_ctx_cells=report.n_ctx_cells))
            report = session.instant(settings)
        return _Opened(session, settings, report, session.measured())

    def _take_opened(self, opened: _Opened) -> None:
        self.session, self.report, self.measured = opened.session, opened.report, opened.measured
        self.settings = self._answered = opened.settings
        self._base, self.failure, self.doubt = opened.base or opened.settings, None, None
        self.phase = FitPhase.READY
        self._pause.start()
        self.changed.emit()

    def _take_instant(self, answer: tuple[LoadSettings, FitReport]) -> None:
        self._answered, self.report = answer
        self.failure = self.doubt = None
        if self.is_current:
            self._pause.start()
        self.answered.emit()

    def _ask_exact(self) -> None:
        session, settings = self.session, self.settings
        if session is not None and settings is not None:

            def ask(job: Job[FitReport]) -> FitReport:
                return session.exact(settings, job.cancel_token)

            self._exact.ask(ask)
            self.checked.emit()

    def _take_exact(self, report: FitReport) -> None:
        self.report = report
        self.answered.emit()

    def _doubt(self, error: QuernError) -> None:
        """llama.cpp could not be asked: the estimate stands."""
        self.doubt = failure_of(error)
        self.checked.emit()

    def _refuse(self, error: QuernError) -> None:
        """These settings have no answer; others may."""
        self._answered = self.settings
        self.failure = failure_of(error)
        self.answered.emit()

    def _fail(self, error: QuernError) -> None:
        self.failure, self.phase = failure_of(error), FitPhase.FAILED
        self.changed.emit()
