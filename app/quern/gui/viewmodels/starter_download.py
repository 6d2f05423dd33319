"""Downloading the starter model where the machine has no model at all."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from quern.base import Job, JobPool, Progress, QuernError
from quern.gui.bridge import Bridge

from .failure import Fix, failure_of, is_wish


class StarterDownload(QObject):
    """Owns the download under way. `progressed` carries a Progress in bytes, `finished` a Path, `failed` a Failure."""

    state_changed = Signal()
    progressed = Signal(object)
    finished = Signal(object)
    failed = Signal(object)

    def __init__(self, bridge: Bridge, jobs: JobPool, folder: Path) -> None:
        super().__init__()
        self._bridge = bridge
        self._jobs = jobs
        self._folder = folder
        self._job: Job[Path] | None = None

    @property
    def is_running(self) -> bool:
        """Whether the model is being downloaded."""
        return self._job is not None

    def start(self) -> None:
        """Begin, or go on where an earlier download stopped."""
        if self._job is not None:
            return
        from quern.models import STARTER_FILE, download_model

        job: Job[Path] = self._jobs.start(lambda job: download_model(STARTER_FILE, self._folder, job))
        self._job = job
        self._bridge.call(job, self._succeed, self._fail, self._progress)
        self.state_changed.emit()

    def cancel(self) -> None:
        """Stop; what was fetched is kept for the next try."""
        if self._job is not None:
            self._job.cancel()

    def _progress(self, progress: Progress) -> None:
        if self._job is not None:
            self.progressed.emit(progress)

    def _succeed(self, path: Path) -> None:
        self._job = None
        self.state_changed.emit()
        self.finished.emit(path)

    def _fail(self, error: QuernError) -> None:
        self._job = None
        self.state_changed.emit()
        if not is_wish(error):
            self.failed.emit(failure_of(error, Fix.RETRY))
