"""Everything the window works with: the view-models, wired to each other and to the app."""

from __future__ import annotations

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
from .meter import MemoryMeter
from .open_chat import OpenChat
from .outbox import Outbox
from .preferences import Preferences
from .shelf import Shelf
from .starter_download import StarterDownload
from .token_counter import TokenCounter
from .turn_feed import TurnFeed

if TYPE_CHECKING:
    from quern.base import QuernError, Recovery
    from quern.chat import ConversationSummary
    from quern.models import ModelEntry
    from quern.runtime import App


class Desk(QObject):
    """Owns the bridge and every view-model of a window. `storage_failed` carries a Failure, `recovered` a Recovery.

    Nothing touches the database before `start`, which opens it in the store thread.
    """

    storage_failed = Signal(object)
    recovered = Signal(object)
    opened = Signal()

    def __init__(self, app: App) -> None:
        super().__init__()
        self._app = app
        self._is_open = False
        self._has_chosen_model = False
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
        for part in (self.counter, self.meter, self.feed):
            part.close()
        self.shelf.cancel_load()
        self.download.cancel()
        self.doctor.cancel()
        self.bridge.close()

    def load(self, entry: ModelEntry) -> None:
        """Load `entry` with the person's load settings."""
        self._has_chosen_model = True
        self.shelf.load(entry, self.preferences.current.load)

    def _wire(self) -> None:
        self.feed.started.connect(self.conversations.refresh)
        self.feed.ended.connect(self.conversations.refresh)
        self.chat.left.connect(self._switch_draft)
        self.chat.adopted.connect(self.drafts.adopt)
        self.conversations.deleted.connect(self._leave)
        self.conversations.restored.connect(self.chat.show)
        self.conversations.changed.connect(self._open_last_chat)
        self.shelf.changed.connect(self._choose_model)
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
        self.conversations.open(app.store)
        if not self._waits_for_last_chat:
            self.drafts.bring()
        if recovery is not None:
            self.recovered.emit(recovery)
        self.opened.emit()

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

        self.bridge.store(last_name, load, lambda _error: load(""))

    def _leave(self, summary: ConversationSummary) -> None:
        """A chat was deleted: stop its reply, and show a new chat where it was shown."""
        live = self.feed.live(summary.id)
        if live is not None:
            live.turn.cancel()
        if self.chat.wanted_id == summary.id:
            self.chat.show(None)
