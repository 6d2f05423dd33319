"""Everything the window works with: the view-models, wired to each other and to the app."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quern.base import NetworkPolicy, install_network_guard
from quern.gui.bridge import Bridge

from .chat_options import ChatOptions
from .conversations import Conversations
from .deletion import Deletions
from .doctor import Doctor
from .draft import DraftKeeper
from .failure import Fix, failure_of
from .fit import Fitter
from .gpu_watch import GpuWatch
from .meter import MemoryMeter
from .open_chat import OpenChat
from .outbox import Outbox
from .preferences import Preferences
from .shelf import Shelf
from .shelf_fit import ShelfFit
from .starter_download import StarterDownload
from .token_counter import TokenCounter
from .turn_feed import TurnFeed

if TYPE_CHECKING:
    from quern.base import QuernError, Recovery
    from quern.chat import ConversationSummary
    from quern.models import ModelEntry
    from quern.runtime import App, LoadTerms
    from quern.spec import LoadSettings


class Desk(QObject):
    """Owns the bridge and every view-model of a window. `storage_failed` carries a Failure, `recovered` a Recovery.

    `refused` when a load that a person asked for was refused because the model does not fit.

    Nothing touches the database before `start`, which opens it in the store thread.
    """

    storage_failed = Signal(object)
    recovered = Signal(object)
    opened = Signal()
    refused = Signal()

    def __init__(self, app: App) -> None:
        super().__init__()
        self._app = app
        self._is_open = False
        self._has_chosen_model = False
        self._loads_by_itself = False
        self._last_load: tuple[ModelEntry, LoadSettings, LoadTerms] | None = None
        self._waits_for_last_chat = False
        self.bridge = Bridge(self)
        self.preferences = Preferences(app.settings, self.bridge)
        self.shelf = Shelf(self.bridge, app.jobs)
        self.feed = TurnFeed(self.bridge)
        self.conversations = Conversations(self.bridge)
        self.chat = OpenChat(self.bridge, self.feed)
        self.drafts = DraftKeeper(self.bridge)
        self.options = ChatOptions(self.bridge, self.chat, self.shelf, self.preferences)
        self.outbox = Outbox(self.bridge, self.chat, self.options, self.shelf, self.feed)
        self.counter = TokenCounter(self.bridge, self.chat, self.options, self.outbox, self.shelf)
        self.deletions = Deletions(self.conversations, self.chat, self.shelf)
        self.download = StarterDownload(self.bridge, app.jobs, app.home.models)
        self.doctor = Doctor(self.bridge, app)
        self.meter = MemoryMeter(self.bridge, app.jobs)
        self.fitter = self.new_fitter(self)
        self.shelf_fit = ShelfFit(self.bridge, app.jobs, self.shelf, self.preferences)
        self.gpu = GpuWatch(self.bridge, app.jobs)
        self._wire()

    @property
    def is_open(self) -> bool:
        """Whether the database is open."""
        return self._is_open

    @property
    def is_offline(self) -> bool:
        """Whether connections are refused, by the settings or by QUERN_OFFLINE."""
        return self.is_offline_forced or self.preferences.current.offline

    @property
    def is_offline_forced(self) -> bool:
        """Whether QUERN_OFFLINE refuses connections, whatever the settings say."""
        return NetworkPolicy.from_environ().offline

    def start(self) -> None:
        """Open the database in the store thread, then fill the window. May be called again after it failed."""
        if not self._is_open:
            self.bridge.store(self._app.open_storage, self._take_storage, self._fail_storage)

    def close(self) -> None:
        """Stop what runs and store what is not stored; the app itself is closed by whoever opened it."""
        self.drafts.flush()
        for part in (self.counter, self.meter, self.feed, self.fitter, self.shelf_fit, self.gpu):
            part.close()
        self.shelf.cancel_load()
        self.download.cancel()
        self.doctor.cancel()
        self.bridge.close()

    @property
    def load_terms(self) -> LoadTerms:
        """What the person's settings allow and demand of loads."""
        from quern.runtime import terms_of

        return terms_of(self.preferences.current)

    def load(self, entry: ModelEntry, settings: LoadSettings | None = None, terms: LoadTerms | None = None) -> None:
        """Load `entry` with `settings`, None with the person's own; `terms` None are the person's, too.

        Which CPU kernels are allowed is always the person's own: where a panel's settings avoid them because they
        failed in the trial, that is not a wish, and is told.
        """
        allowed, own = terms or self.load_terms, self.preferences.current.load
        if settings is None:
            settings = own
        elif terms is None:
            allowed = replace(allowed, wish=None)
        settings = replace(settings, extra_buffers=own.extra_buffers)
        self._has_chosen_model, self._loads_by_itself = True, False
        self._last_load = entry, settings, allowed
        self.shelf.load(entry, settings, allowed)

    def load_again(self) -> None:
        """Ask for the last load once more."""
        if self._last_load is not None:
            self.load(*self._last_load)

    def new_fitter(self, parent: QObject) -> Fitter:
        """Return a fitter for another panel; who asks for it closes it."""
        fitter = Fitter(self.bridge, self._app.jobs, parent)
        if self._is_open:
            fitter.open(self._app.fitting)
        return fitter

    def consider(self, fitter: Fitter, entry: ModelEntry) -> None:
        """Have `fitter` show `entry`: as it is loaded, as its refused load was asked for, or as it would be loaded."""
        resident, last, current = self.shelf.resident, self._last_load, self.preferences.current
        if resident is not None and resident.entry == entry:
            fitter.show(entry, resident.engine.facts.settings)
        elif last is not None and last[0] == entry and self.shelf.error is not None:
            fitter.show(entry, last[1], last[2].wish)
        else:
            fitter.show(entry, current.load, current.load_wish)

    def _wire(self) -> None:
        self.feed.started.connect(self.conversations.refresh)
        self.feed.ended.connect(self.conversations.refresh)
        self.chat.left.connect(self._switch_draft)
        self.chat.adopted.connect(self.drafts.adopt)
        self.conversations.deleted.connect(self._leave)
        self.conversations.restored.connect(self.chat.show)
        self.conversations.changed.connect(self._open_last_chat)
        self.shelf.changed.connect(self._choose_model)
        self.shelf.failed.connect(self._tell_refusal)
        self.download.finished.connect(self.shelf.refresh)
        self.preferences.changed.connect(self._guard_network)

    def _switch_draft(self) -> None:
        self.drafts.switch(self.chat.wanted_id)

    def _guard_network(self) -> None:
        install_network_guard(NetworkPolicy(offline=self.is_offline))

    def _take_storage(self, recovery: Recovery | None) -> None:
        app = self._app
        self._is_open = True
        self._waits_for_last_chat = self.preferences.current.restore_last_chat
        for part in (self.chat, self.options, self.drafts):
            part.open(app.store)
        self.outbox.open(app.store, app.turns)
        self.counter.open(app.renderer, app.jobs)
        self.shelf.open(app.library, app.residency)
        for part in (self.fitter, self.shelf_fit):
            part.open(app.fitting)
        self.gpu.check()
        self.conversations.open(app.store)
        if not self._waits_for_last_chat:
            self.drafts.bring()
        if recovery is not None:
            self.recovered.emit(recovery)
        self.opened.emit()

    def _tell_refusal(self) -> None:
        if self.shelf.is_refused and not self._loads_by_itself:
            self.refused.emit()

    def _fail_storage(self, error: QuernError) -> None:
        self.storage_failed.emit(failure_of(error, Fix.RETRY))

    def _open_last_chat(self) -> None:
        """Once, after the list was first read: show the chat that was written to last, unless a person was faster."""
        if not self._is_open or not self._waits_for_last_chat:
            return
        self._waits_for_last_chat = False
        summaries = self.conversations.summaries
        is_untouched = self.chat.wanted_id is None and not self.drafts.text and self.outbox.held is None
        if summaries and is_untouched:
            self.chat.show(summaries[0].id)
        else:
            self.drafts.bring()

    def _choose_model(self) -> None:
        """Once, after the library was first read: load the model that the last chat used, or the starter model."""
        if self._has_chosen_model or not self.shelf.usable:
            return
        usable = self.shelf.usable
        preferred = next((entry for entry in usable if entry.origin == "starter"), usable[0])
        store = self._app.store

        def last_name() -> str:
            newest = next(iter(store.conversations()), None)
            return "" if newest is None else store.get(newest.id).model_name

        def load(name: str) -> None:
            if not self._has_chosen_model:
                named = self.shelf.find(name)
                self.load(named if named is not None and named.is_usable else preferred)
                self._loads_by_itself = True

        self.bridge.store(last_name, load, lambda _error: load(""))

    def _leave(self, summary: ConversationSummary) -> None:
        """A chat was deleted: stop its reply, and show a new chat where it was shown."""
        live = self.feed.live(summary.id)
        if live is not None:
            live.turn.cancel()
        if self.chat.wanted_id == summary.id:
            self.chat.show(None)
