"""Which model is loaded: reckons whether it fits, proves it in a child, loads it, and keeps it until another comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from threading import Lock
from typing import TYPE_CHECKING

from quern.base import Job, JobPool, Publisher, QuernError
from quern.chat import ChatTemplate, NoChatTemplate, choose_template
from quern.models import ModelEntry
from quern.runtime.failure import as_quern_error
from quern.runtime.fit.fitting import Fitting, own_memory
from quern.runtime.session import prove_entry
from quern.runtime.system import resident_bytes
from quern.spec import LoadSettings

from .load_plan import USUAL_TERMS, LoadPlan, LoadTerms
from .proof import Proof
from .trial import Trials

if TYPE_CHECKING:
    from quern.engine import Engine
    from quern.fit import OwnMemory


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

    def __init__(self, jobs: JobPool, trials: Trials, fitting: Fitting) -> None:
        self._jobs = jobs
        self._trials = trials
        self._fitting = fitting
        self._loading = Lock()
        self._resident: Resident | None = None
        self.changed: Publisher[ResidencyChanged] = Publisher()

    @property
    def resident(self) -> Resident | None:
        """The loaded model, or None."""
        return self._resident

    @property
    def own(self) -> Mapping[str, OwnMemory]:
        """What the loaded model holds of each device, as it was measured; nothing where none is loaded."""
        resident = self._resident
        return {} if resident is None else own_memory(resident.engine.facts)

    def load(self, entry: ModelEntry, settings: LoadSettings, terms: LoadTerms = USUAL_TERMS) -> Job[Resident]:
        """Prove and load `entry` in a job; the model loaded before is unloaded first.

        What `settings` leave open is chosen so that the model fits, and so is everything else where the terms have a
        goal. The job raises the entry's own problem, DoesNotFit, the engine's ModelNotLoadable and its kin, or the
        trial's NoRungWorks.
        """
        return self._jobs.start(lambda job: self._load(job, entry, settings, terms))

    def unload(self) -> None:
        """Free the loaded model; its running generations end as cancelled. Does nothing when there is none."""
        with self._loading:
            self._free()
        self.changed.publish(ResidencyChanged(ResidencyPhase.EMPTY))

    def _load(self, job: Job[Resident], entry: ModelEntry, settings: LoadSettings, terms: LoadTerms) -> Resident:
        with self._loading:
            self.changed.publish(ResidencyChanged(ResidencyPhase.LOADING, entry))
            try:
                resident = self._open(job, entry, settings, terms)
            except BaseException as error:
                cause = as_quern_error(error)
                self.changed.publish(ResidencyChanged(ResidencyPhase.FAILED, entry, cause))
                raise cause from error
            self._resident = resident
        self.changed.publish(ResidencyChanged(ResidencyPhase.LOADED, entry))
        return resident

    def _open(self, job: Job[Resident], entry: ModelEntry, settings: LoadSettings, terms: LoadTerms) -> Resident:
        if entry.problem is not None:
            raise entry.problem
        job.report(0.0, 1.0, "checking")
        plan = self._fitting.plan(entry, settings, terms, job.cancel_token)
        if plan.needs_room:
            self._free()
        return plan.first(lambda candidate: self._open_with(job, entry, candidate, plan))

    def _open_with(self, job: Job[Resident], entry: ModelEntry, settings: LoadSettings, plan: LoadPlan) -> Resident:
        from quern.engine import load_engine

        cancel = job.cancel_token
        proof = prove_entry(entry, settings, self._trials, cancel, needed_bytes=plan.host_bytes)
        self._free()
        job.report(PROOF_SHARE, 1.0, "loading")

        def report_share(fraction: float) -> None:
            job.report(PROOF_SHARE + (1.0 - PROOF_SHARE) * fraction, 1.0, "loading")

        before_bytes = resident_bytes()
        engine = load_engine(entry.path, proof.settings, report_share, cancel)
        grown_bytes = resident_bytes() - before_bytes
        self._jobs.start(lambda _job: self._fitting.remember(entry, engine.facts, grown_bytes))
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
