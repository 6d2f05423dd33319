"""How a model is to be loaded: what a person allows, the settings to try in turn, and why it is not loaded at all."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from quern.base import QuernError, format_bytes
from quern.engine import ContextNotCreatable, ModelNotLoadable, has_gpu_backend
from quern.fit import HOST, Wish
from quern.hardware import detect_memory
from quern.spec import LoadSettings

from .proof import NoRungWorks

if TYPE_CHECKING:
    from quern.fit import FitReport
    from quern.models import ModelEntry
    from quern.settings import Settings

logger = logging.getLogger(__name__)
Loaded = TypeVar("Loaded")

OBVIOUS_CTX_CELLS = 4096
# What a model needs beside its file with a small context: at most the file's size once more, and this.
OBVIOUS_SLACK_BYTES = 2 * 1024**3


@dataclass(eq=False)
class DoesNotFit(QuernError):
    """A load that memory cannot hold; `needed` and `free` bytes are those of the device that lacks most.

    `step` says in one sentence what would help most.
    """

    model: str
    place: str
    needed: int
    free: int
    step: str

    sentence = "{model} does not fit: it needs {needed_text} of {place}, and {free_text} are free."
    advice = '{step} To load it all the same, choose "Load it anyway" in the settings.'

    def values(self) -> dict[str, object]:
        """The fields, and both sizes in words."""
        sizes = {"needed_text": format_bytes(self.needed), "free_text": format_bytes(max(0, self.free))}
        return {**super().values(), **sizes}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTerms:
    """What a person allows and demands of a load: what the best settings are for (None: as set), whether a model that
    does not fit is tried all the same, and whether a GPU must be used.
    """

    wish: Wish | None = None
    tries_too_large: bool = False
    requires_gpu: bool = False


USUAL_TERMS = LoadTerms()


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """Settings to try in turn, the best first, and what the first of them takes (None where nobody reckoned)."""

    candidates: tuple[LoadSettings, ...]
    report: FitReport | None = None

    @property
    def host_bytes(self) -> int | None:
        """What the load takes of the machine's memory, where that is known."""
        if self.report is None:
            return None
        return sum(device.needs.total for device in self.report.devices if device.room.device == HOST)

    @property
    def needs_room(self) -> bool:
        """Whether what is loaded now must go before this model is tried."""
        return self.report is not None and any(
            device.room.reclaimable > 0 and device.needs.total > device.room.free - device.room.margin
            for device in self.report.devices
        )

    def first(self, attempt: Callable[[LoadSettings], Loaded]) -> Loaded:
        """Return what `attempt` makes of the first candidate that memory does not refuse. Raises the last refusal."""
        for candidate in self.candidates[:-1]:
            try:
                return attempt(candidate)
            except QuernError as refusal:
                if not _is_lack_of_memory(refusal, candidate):
                    raise
                logger.info("settings that should have fitted did not, so smaller ones are tried: %s", refusal)
        return attempt(self.candidates[-1])


def is_obvious(entry: ModelEntry, settings: LoadSettings, terms: LoadTerms) -> bool:
    """Whether a model is so small for this machine that nothing needs to be reckoned before it is loaded.

    Asks for free memory only (2 ms); a GPU, a goal, a long context or several sequences always need reckoning.
    """
    is_plain = terms.wish is None and settings.n_seq_max == 1 and (settings.n_ctx_cells or 0) <= OBVIOUS_CTX_CELLS
    if not is_plain or has_gpu_backend():
        return False
    return 2 * entry.size_bytes + OBVIOUS_SLACK_BYTES <= detect_memory().available_bytes


def terms_of(settings: Settings) -> LoadTerms:
    """Return what the settings say of loads."""
    return LoadTerms(
        wish=settings.load_wish,
        tries_too_large=settings.tries_too_large,
        requires_gpu=settings.requires_gpu,
    )


def _is_lack_of_memory(error: QuernError, settings: LoadSettings) -> bool:
    """Whether smaller settings may help; a GPU that is full makes loads fail and computations abort."""
    if isinstance(error, ContextNotCreatable):
        return True
    return settings.n_gpu_layers != 0 and has_gpu_backend() and isinstance(error, NoRungWorks | ModelNotLoadable)
