"""The app without a face: everything that the window, the terminal and the server share, built in one place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from quern.base import Home, JobPool, NetworkPolicy, Ownership, install_network_guard
from quern.settings import SettingsStore

if TYPE_CHECKING:
    from quern.base import Database, Recovery
    from quern.chat import ConversationStore, TemplateRenderer
    from quern.models import Library

    from .fit.fitting import Fitting
    from .load.residency import Residency
    from .load.trial import Trials
    from .turn.turn import ChatTurns

JOB_THREADS = 4


class App:
    """Owns the data folder and, once `open_storage` has run, the rooms that live in it.

    `open` is quick (folders, ownership, settings), so that a window can be painted first; `open_storage` opens the
    database and may run in any thread, once, before what lives in it is touched.
    """

    database: Database
    library: Library
    store: ConversationStore
    trials: Trials
    renderer: TemplateRenderer
    fitting: Fitting
    residency: Residency
    turns: ChatTurns

    def __init__(self, home: Home, ownership: Ownership, settings: SettingsStore, network: NetworkPolicy) -> None:
        self.home = home
        self.settings = settings
        self.network = network
        self.jobs = JobPool("quern-job", JOB_THREADS)
        self._ownership = ownership
        self._has_storage = False

    @classmethod
    def open(cls, home: Home, purpose: str, environ: Mapping[str, str] = os.environ) -> App:
        """Claim `home` for this process and read the settings.

        Raises HomeUnusable when the folder cannot be written and HomeOwned when another process has it.
        """
        home.prepare()
        ownership = Ownership.claim(home, purpose)
        settings = SettingsStore(home.settings)
        settings.load()
        offline = NetworkPolicy.from_environ(environ).offline or bool(settings.current.get("network.offline"))
        network = NetworkPolicy(offline=offline)
        install_network_guard(network)
        return cls(home, ownership, settings, network)

    def open_storage(self) -> Recovery | None:
        """Open the database and build what lives in it; return what had to be recovered, or None.

        Raises DatabaseBusy, DatabaseNewer or DiskFull; may be called again after a failure.
        """
        from quern import chat, models
        from quern.base import open_or_recover

        from .fit.fit_memory import FitMemory
        from .fit.fitting import Fitting
        from .load.residency import Residency
        from .load.trial import Trials
        from .schema import SCHEMAS
        from .turn.turn import ChatTurns

        opened = open_or_recover(self.home.database, SCHEMAS, self.home.backups)
        self.database = opened.database
        self.library = models.Library(self.home, self.database)
        self.store = chat.ConversationStore(self.database)
        self.store.settle_interrupted()
        self.trials = Trials(self.database)
        self.renderer = chat.TemplateRenderer()
        self.fitting = Fitting(FitMemory(self.database), self.trials, lambda: self.residency.own)
        self.residency = Residency(self.jobs, self.trials, self.fitting)
        self.turns = ChatTurns(self.store, self.renderer)
        self._has_storage = True
        return opened.recovery

    def close(self) -> None:
        """Stop running replies, free the model, close the database and give the folder back."""
        if self._has_storage:
            self.turns.close()
            self.residency.unload()
            self.renderer.close()
        self.jobs.close()
        if self._has_storage:
            self.database.close()
        self._ownership.release()
