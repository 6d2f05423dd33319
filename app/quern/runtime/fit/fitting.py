"""Whether models fit, asked at any time, and how they are loaded; what loads took is remembered."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING

from quern.base import Cancelled, CancelToken, QuernError
from quern.runtime.load.load_plan import LoadPlan, LoadTerms, is_obvious
from quern.runtime.load.place import place_of

from .measured_load import MeasuredLoad

if TYPE_CHECKING:
    from quern.engine import EngineFacts
    from quern.fit import OwnMemory
    from quern.models import ModelEntry
    from quern.runtime.load.trial import Trials
    from quern.spec import LoadSettings

    from .companions import Companions
    from .fit_memory import FitMemory
    from .fit_session import FitSession

logger = logging.getLogger(__name__)


class Fitting:
    """Owns what is remembered of fits; opens sessions. Thread-safe.

    `trials` know which kernels a model does without here. `own` tells what Quern has loaded now, by device. The
    formulas are imported when they are first needed: a window that starts and loads a small model does without (0.1 s).
    """

    def __init__(self, memory: FitMemory, trials: Trials, own: Callable[[], Mapping[str, OwnMemory]] = dict) -> None:
        self._memory = memory
        self._trials = trials
        self._own = own

    def open(
        self, entry: ModelEntry, companions: Companions | None = None, cancel: CancelToken | None = None
    ) -> FitSession:
        """Read the headers, ask the machine and the engine, and return what answers from then on.

        Tens of milliseconds; a second where the engine must be asked in a child. Raises the entry's own problem,
        FitUnknown, what `read_subject` and `ask_engine` raise.
        """
        from .companions import ALONE
        from .fit_opening import Known, open_fit

        if entry.problem is not None:
            raise entry.problem
        return open_fit(entry, companions or ALONE, Known(self._memory, self._trials, self._own()), cancel)

    def plan(self, entry: ModelEntry, settings: LoadSettings, terms: LoadTerms, cancel: CancelToken) -> LoadPlan:
        """Return how to load `entry`; where nothing needs to be reckoned, at once.

        Raises GpuRequired, DoesNotFit, SettingsRefused, DeviceGone and Cancelled; what stops the reckoning itself does
        not stop a load.
        """
        if terms.requires_gpu:
            self._require_gpu(settings, cancel)
        if is_obvious(entry, settings, terms):
            return LoadPlan((settings,))
        from quern.runtime.load.planning import plan_load

        try:
            session = self.open(entry, cancel=cancel)
        except Cancelled:
            raise
        except QuernError as error:
            logger.info("what %s takes cannot be reckoned before it is loaded: %s", entry.name, error)
            return LoadPlan((settings,))
        return plan_load(session, settings, terms, cancel)

    def remember(self, entry: ModelEntry, facts: EngineFacts, resident_bytes: int) -> None:
        """Write down what a load took. Raises nothing; it is compared and learned from when a fit is next opened."""
        load = MeasuredLoad(
            loaded_at=time(),
            settings=facts.settings,
            estimated=(),
            measured=facts.measured,
            resident_bytes=resident_bytes,
        )
        with suppress(QuernError):  # the file may be gone by now
            self._memory.remember_load(place_of(entry.path), load)

    def _require_gpu(self, settings: LoadSettings, cancel: CancelToken) -> None:
        """Raise GpuRequired where no GPU would compute. Raises Cancelled."""
        from quern.runtime.load.gpu_demand import SETTING, check_gpu_demand
        from quern.settings import Settings

        from .fit_ground import installed_engine, machine_without_gpus

        try:
            engine = installed_engine(self._memory, machine_without_gpus(), cancel)
        except Cancelled:
            raise
        except QuernError as error:
            engine = error
        layers = -1 if settings.n_gpu_layers is None else settings.n_gpu_layers
        check_gpu_demand(Settings().with_choices({SETTING: True, "load.n_gpu_layers": layers}), engine)


def own_memory(facts: EngineFacts) -> Mapping[str, OwnMemory]:
    """Return what a loaded model holds of each device, all of which is given back before another is loaded.

    Mapped weights do not count: the system gives their pages away as it likes.
    """
    from quern.fit import OwnMemory

    held = {need.device: need.needs.total - need.mapped for need in facts.measured}
    return {device: OwnMemory(held=n_bytes, reclaimable=n_bytes) for device, n_bytes in held.items()}
