"""The models on this machine: reading the library, adding and forgetting files, loading one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quern.base import Job, JobPool, Progress, QuernError
from quern.gui.bridge import Bridge

from .failure import Fix, failure_of, is_wish

if TYPE_CHECKING:
    from quern.models import Library, ModelEntry
    from quern.runtime import LoadTerms, Residency, ResidencyChanged, Resident
    from quern.spec import LoadSettings


class Shelf(QObject):
    """Owns the list of models as last read and the load under way.

    `changed` follows the list, `residency_changed` what is loaded or loading, `progressed` a Progress while loading,
    `added` and `forgotten` a ModelEntry. A load that fails says so by `failed` and leaves `error` until the next load;
    `library_failed` tells of everything else.
    """

    changed = Signal()
    residency_changed = Signal()
    progressed = Signal(object)
    added = Signal(object)
    forgotten = Signal(object)
    failed = Signal(object)
    library_failed = Signal(object)

    def __init__(self, bridge: Bridge, jobs: JobPool) -> None:
        super().__init__()
        self._bridge = bridge
        self._jobs = jobs
        self._library: Library | None = None
        self._residency: Residency | None = None
        self._load_job: Job[Resident] | None = None
        self.entries: tuple[ModelEntry, ...] = ()
        self.is_read = False
        self.loading: ModelEntry | None = None
        self.wanted: ModelEntry | None = None
        self.error: QuernError | None = None

    def open(self, library: Library, residency: Residency) -> None:
        """Use these from now on and read the library."""
        self._library, self._residency = library, residency
        self._bridge.listen(residency.changed, self._take_phases)
        self.refresh()

    @property
    def resident(self) -> Resident | None:
        """The loaded model, or None."""
        return None if self._residency is None else self._residency.resident

    @property
    def usable(self) -> tuple[ModelEntry, ...]:
        """The models that can be loaded, as far as their headers tell."""
        return tuple(entry for entry in self.entries if entry.is_usable)

    @property
    def is_loading(self) -> bool:
        """Whether a model is being loaded."""
        return self._load_job is not None

    @property
    def is_refused(self) -> bool:
        """Whether the last load was refused because the model does not fit."""
        from quern.runtime import DoesNotFit

        return isinstance(self.error, DoesNotFit)

    def find(self, name: str) -> ModelEntry | None:
        """Return the model named `name`, or None."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def refresh(self) -> None:
        """Read the library again."""
        library = self._library
        if library is not None:
            self._bridge.call(self._jobs.start(lambda _job: library.scan()), self._take_entries, self._fail_library)

    def load(self, entry: ModelEntry, settings: LoadSettings, terms: LoadTerms) -> None:
        """Prove and load `entry`; a load under way is given up for it."""
        residency = self._residency
        if residency is None:
            return
        self.cancel_load()
        job = residency.load(entry, settings, terms)
        self._load_job, self.wanted, self.error = job, entry, None
        self._bridge.call(
            job,
            lambda _resident: self._end_load(job, None),
            lambda error: self._end_load(job, error),
            lambda progress: self._progress(job, progress),
        )
        self.residency_changed.emit()

    def cancel_load(self) -> None:
        """Stop loading; what was loaded before may be gone already."""
        if self._load_job is not None:
            self._load_job.cancel()

    def unload(self) -> None:
        """Free the loaded model."""
        residency = self._residency
        if residency is not None:
            self.wanted = None
            self._bridge.call(self._jobs.start(lambda _job: residency.unload()), on_failure=self._fail)

    def add(self, path: Path) -> None:
        """Put the file `path` into the library."""
        library = self._library
        if library is not None:
            self._bridge.call(self._jobs.start(lambda _job: library.add(path)), self._take_added, self._fail_library)

    def forget(self, entry: ModelEntry) -> None:
        """Take an added file out of the library; the file stays."""
        from quern.models import Origin

        library = self._library
        if library is not None and entry.origin is Origin.ADDED:
            self._bridge.call(
                self._jobs.start(lambda _job: library.remove(entry)),
                lambda _result: self._take_forgotten(entry),
                self._fail_library,
            )

    def _take_entries(self, entries: tuple[ModelEntry, ...]) -> None:
        self.entries = entries
        self.is_read = True
        self.changed.emit()

    def _take_added(self, entry: ModelEntry) -> None:
        self.refresh()
        self.added.emit(entry)

    def _take_forgotten(self, entry: ModelEntry) -> None:
        self.refresh()
        self.forgotten.emit(entry)

    def _take_phases(self, events: tuple[ResidencyChanged, ...]) -> None:
        from quern.runtime import ResidencyPhase

        last = events[-1]
        self.loading = last.entry if last.phase is ResidencyPhase.LOADING else None
        self.residency_changed.emit()

    def _progress(self, job: Job[Resident], progress: Progress) -> None:
        if job is self._load_job:
            self.progressed.emit(progress)

    def _end_load(self, job: Job[Resident], error: QuernError | None) -> None:
        if job is not self._load_job:
            return
        self._load_job, self.loading = None, None
        if error is not None and not is_wish(error):
            self.error = error
            self.failed.emit(failure_of(error, self._first_fix(error), Fix.MODELS))
        self.residency_changed.emit()

    def _first_fix(self, error: QuernError) -> Fix:
        from quern.runtime import GpuRequired

        if isinstance(error, GpuRequired):
            return Fix.MACHINE
        return Fix.FIT if self.is_refused else Fix.RETRY

    def _fail(self, error: QuernError) -> None:
        if not is_wish(error):
            self.failed.emit(failure_of(error))

    def _fail_library(self, error: QuernError) -> None:
        if not is_wish(error):
            self.library_failed.emit(failure_of(error))
