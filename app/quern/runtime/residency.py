"""Which model is loaded: proves it in a child first, loads it, and keeps it until another takes its place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from threading import Lock
from typing import TYPE_CHECKING

from quern.base import Job, JobPool, Publisher, QuernError
from quern.chat import ChatTemplate, NoChatTemplate, choose_template
from quern.gguf import content_id
from quern.models import ModelEntry
from quern.spec import LoadSettings

from .failure import as_quern_error
from .trial import Proof, Trials

if TYPE_CHECKING:
    from quern.engine import Engine


class ResidencyPhase(Enum):
    """What the place for the loaded model is doing."""

    EMPTY = auto()
    LOADING = auto()
    LOADED = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class Resident:
    """A loaded model: its library entry, its engine, the settings that proved safe, and its chat template.

    `template` is None for a model that brings none; the person then picks one.
    """

    entry: ModelEntry
    engine: Engine
    proof: Proof
    template: ChatTemplate | None


@dataclass(frozen=True, slots=True)
class ResidencyChanged:
    """The place for the loaded model changed; `error` is set when phase is FAILED."""

    phase: ResidencyPhase
    entry: ModelEntry | None = None
    error: QuernError | None = None


# Shares of the progress bar: the proof in a child, then the load itself.
PROOF_SHARE = 0.3


class Residency:
    """Owns the one loaded model. `load` and `unload` may be called from any thread; loads run one after another."""

    def __init__(self, jobs: JobPool, trials: Trials) -> None:
        self._jobs = jobs
        self._trials = trials
        self._loading = Lock()
        self._resident: Resident | None = None
        self.changed: Publisher[ResidencyChanged] = Publisher()

    @property
    def resident(self) -> Resident | None:
        """The loaded model, or None."""
        return self._resident

    def load(self, entry: ModelEntry, settings: LoadSettings) -> Job[Resident]:
        """Prove and load `entry` in a job; the model loaded before is unloaded first.

        The job raises the entry's own problem, the engine's ModelNotLoadable and its kin, or the trial's NoRungWorks.
        """
        return self._jobs.start(lambda job: self._load(job, entry, settings))

    def unload(self) -> None:
        """Free the loaded model; its running generations end as cancelled. Does nothing when there is none."""
        with self._loading:
            self._free()
        self.changed.publish(ResidencyChanged(ResidencyPhase.EMPTY))

    def _load(self, job: Job[Resident], entry: ModelEntry, settings: LoadSettings) -> Resident:
        with self._loading:
            self.changed.publish(ResidencyChanged(ResidencyPhase.LOADING, entry))
            try:
                resident = self._open(job, entry, settings)
            except BaseException as error:
                cause = as_quern_error(error)
                self.changed.publish(ResidencyChanged(ResidencyPhase.FAILED, entry, cause))
                raise cause from error
            self._resident = resident
        self.changed.publish(ResidencyChanged(ResidencyPhase.LOADED, entry))
        return resident

    def _open(self, job: Job[Resident], entry: ModelEntry, settings: LoadSettings) -> Resident:
        from quern.engine import load_engine

        if entry.problem is not None:
            raise entry.problem
        job.report(0.0, 1.0, "checking")
        proof = self._trials.prove(entry.path, content_id(entry.path), settings, job.cancel_token)
        self._free()
        job.report(PROOF_SHARE, 1.0, "loading")

        def report_share(fraction: float) -> None:
            job.report(PROOF_SHARE + (1.0 - PROOF_SHARE) * fraction, 1.0, "loading")

        engine = load_engine(entry.path, proof.settings, report_share, job.cancel_token)
        return Resident(entry, engine, proof, template_of(entry))

    def _free(self) -> None:
        resident, self._resident = self._resident, None
        if resident is not None:
            resident.engine.close()


def template_of(entry: ModelEntry) -> ChatTemplate | None:
    """Return the chat template that the model brings, or None where it brings none."""
    if entry.facts is None:
        return None
    try:
        return choose_template(entry.facts.chat_templates)
    except NoChatTemplate:
        return None
