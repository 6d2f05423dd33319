"""The examination of this machine, run when a person looks at it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quern.base import Job
from quern.gui.bridge import Bridge

from .failure import Fix, failure_of, is_wish

if TYPE_CHECKING:
    from quern.base import QuernError
    from quern.runtime import App, DoctorReport, ReportSection


class Doctor(QObject):
    """Owns the last report and the examination under way; `changed` follows both."""

    changed = Signal()
    failed = Signal(object)

    def __init__(self, bridge: Bridge, app: App) -> None:
        super().__init__()
        self._bridge = bridge
        self._app = app
        self._job: Job[DoctorReport] | None = None
        self.report: DoctorReport | None = None

    @property
    def is_running(self) -> bool:
        """Whether an examination is under way."""
        return self._job is not None

    def examine(self, *, is_offline: bool) -> None:
        """Examine this machine in a job; nothing happens while one is under way."""
        if self._job is not None:
            return
        from quern.runtime import Surroundings, examine

        app = self._app
        here = Surroundings(
            home=app.home,
            library=app.library,
            trials=app.trials,
            load=app.settings.current.load,
            is_offline=is_offline,
        )
        job: Job[DoctorReport] = app.jobs.start(lambda job: examine(here, job.cancel_token))
        self._job = job
        self._bridge.call(job, self._take, self._fail)
        self.changed.emit()

    def cancel(self) -> None:
        """Give the examination up."""
        if self._job is not None:
            self._job.cancel()

    def take_network(self, *, is_offline: bool) -> None:
        """Keep the last report true after connections were allowed or refused."""
        if self.report is not None and self.report.is_offline != is_offline:
            self.report = replace(self.report, is_offline=is_offline)
            self.changed.emit()

    def text(self) -> str:
        """The report as text to copy, without personal data; "" before the first."""
        from quern.runtime import text_of

        return "" if self.report is None else text_of(self.report)

    def sections(self) -> tuple[ReportSection, ...]:
        """The report as titled groups of lines, as the terminal shows it; () before the first."""
        from quern.runtime import sections_of

        return () if self.report is None else sections_of(self.report)

    def _take(self, report: DoctorReport) -> None:
        self._job, self.report = None, report
        self.changed.emit()

    def _fail(self, error: QuernError) -> None:
        self._job = None
        self.changed.emit()
        if not is_wish(error):
            self.failed.emit(failure_of(error, Fix.RETRY))
