"""How many tokens would be sent: counted off the main thread, a moment after the last change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from quern.base import JobPool
from quern.gui.bridge import Bridge

from .chat_options import ChatOptions
from .open_chat import OpenChat
from .outbox import Outbox
from .shelf import Shelf

if TYPE_CHECKING:
    from quern.chat import Message, TemplateRenderer
    from quern.runtime import ContextOverflow

COUNT_DELAY_MS = 250


class TokenCounter(QObject):
    """Owns the count. `counted` carries (tokens, limit), or (-1, -1) where nothing can be counted.

    At most one count runs; what changes meanwhile is counted afterwards.
    """

    counted = Signal(int, int)

    def __init__(self, bridge: Bridge, chat: OpenChat, options: ChatOptions, outbox: Outbox, shelf: Shelf) -> None:
        super().__init__()
        self._bridge = bridge
        self._chat = chat
        self._options = options
        self._outbox = outbox
        self._shelf = shelf
        self._jobs: JobPool | None = None
        self._renderer: TemplateRenderer | None = None
        self._draft = ""
        self._edited_id: int | None = None
        self._is_counting = False
        self._is_stale = False
        self._overflow: tuple[object, ContextOverflow] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(COUNT_DELAY_MS)
        self._timer.timeout.connect(self._count)
        chat.opened.connect(self.recount)
        chat.replaced.connect(self.recount)
        options.changed.connect(self.recount)
        shelf.residency_changed.connect(self.recount)

    def open(self, renderer: TemplateRenderer, jobs: JobPool) -> None:
        """Use these from now on."""
        self._renderer, self._jobs = renderer, jobs
        self.recount()

    def change(self, draft: str, edited_id: int | None = None) -> None:
        """The composer's text changed; it takes the place of the message `edited_id`, or goes to the end."""
        self._draft, self._edited_id = draft, edited_id
        self.recount()

    def overflow_of(self, draft: str) -> ContextOverflow | None:
        """Why `draft` cannot be sent in the shown chat, as far as it was counted; None where nothing speaks against."""
        if self._overflow is None or self._overflow[0] != self._subject(draft):
            return None
        return self._overflow[1]

    def recount(self) -> None:
        """Count soon."""
        self._timer.start()

    def close(self) -> None:
        """Count no more."""
        self._jobs = None
        self._timer.stop()

    def _count(self) -> None:
        resident = self._shelf.resident
        template = None if resident is None else self._outbox.template_of(resident)
        jobs, renderer = self._jobs, self._renderer
        if resident is None or template is None or jobs is None or renderer is None:
            self.counted.emit(-1, -1)
            return
        if self._is_counting or self._outbox.is_running:
            self._is_stale = self._is_counting
            return
        from quern.runtime import ContextOverflow, count_tokens

        self._is_counting = True
        history, system_prompt, draft = self._history(), self._options.system_prompt, self._draft
        engine, limit = resident.engine, resident.engine.facts.request_limit_tokens
        subject = self._subject(draft)
        job = jobs.start(lambda _job: count_tokens(engine, template, renderer, system_prompt, history, draft))

        def done(n_tokens: int) -> None:
            overflows = bool(draft) and n_tokens >= limit
            self._overflow = (subject, ContextOverflow(n_tokens, limit)) if overflows else None
            self._end(n_tokens, limit)

        self._bridge.call(job, done, lambda _error: self._end(-1, -1))

    def _history(self) -> tuple[Message, ...]:
        """What is said before the text that is being written."""
        messages = tuple(self._chat.messages)
        ids = [message.id for message in messages]
        return messages[: ids.index(self._edited_id)] if self._edited_id in ids else messages

    def _subject(self, draft: str) -> tuple[object, ...]:
        """What a count of `draft` depends on: the chat, what is said in it, the model and its template."""
        resident = self._shelf.resident
        template = None if resident is None else self._outbox.template_of(resident)
        said = tuple(message.id for message in self._history())
        engine = None if resident is None else id(resident.engine)
        return (self._chat.wanted_id, said, self._options.system_prompt, draft, engine, template)

    def _end(self, n_tokens: int, limit: int) -> None:
        """Tell the count. What is wrong where there is none is said when the message is sent."""
        self._is_counting = False
        self.counted.emit(n_tokens, limit)
        if self._is_stale:
            self._is_stale = False
            self.recount()
