"""Binds the banners of the chat page: what went wrong, and the buttons that fix it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, Signal

from quern.gui.viewmodels.desk import Desk
from quern.gui.viewmodels.failure import Failure, Fix, failure_of
from quern.gui.widgets.banner import BannerText, Tone

from .chat_column import ChatColumn

if TYPE_CHECKING:
    from quern.base import QuernError, Recovery

TEMPLATE_PREFIX = "template:"


class ChatErrors(QObject):
    """Owns the binding; what only the window can do is asked for by signals."""

    models_requested = Signal()
    settings_requested = Signal(str)
    new_chat_requested = Signal()
    fit_requested = Signal()
    machine_requested = Signal()

    def __init__(self, column: ChatColumn, desk: Desk) -> None:
        super().__init__(column)
        self._column = column
        self._desk = desk
        self._retry: Callable[[], None] = desk.start
        self._fixes: tuple[Fix, ...] = ()
        banner = column.banner
        banner.acted.connect(self._act)
        column.save_banner.acted.connect(column.save_banner.dismiss)
        desk.storage_failed.connect(partial(self._say, retry=desk.start))
        desk.recovered.connect(self._say_recovered)
        desk.outbox.failed.connect(partial(self._say, retry=self._send_again))
        desk.chat.failed.connect(partial(self._say, retry=desk.chat.reload))
        desk.options.failed.connect(partial(self._say, retry=banner.dismiss))
        desk.conversations.failed.connect(partial(self._say, retry=desk.conversations.refresh))
        desk.shelf.failed.connect(partial(self._say, retry=desk.load_again))
        desk.download.failed.connect(partial(self._say, retry=desk.download.start))
        desk.preferences.failed.connect(partial(self._say, retry=banner.dismiss))
        desk.bridge.failed.connect(self._say_unforeseen)
        desk.chat.left.connect(banner.hide)
        desk.outbox.accepted.connect(banner.hide)
        desk.feed.save_failed.connect(self._say_unsaved)
        desk.feed.save_recovered.connect(column.save_banner.hide)

    def say_crashed(self) -> None:
        """Say that Quern ended unexpectedly and was started again."""
        self._column.crash_banner.say(
            BannerText(
                Tone.WARNING,
                self.tr("Quern ended unexpectedly and was started again."),
                self.tr("Your chats are here. A report without personal data is in the data folder's logs."),
            )
        )

    def say(self, failure: Failure) -> None:
        """Say what went wrong on this page, where there is nothing to try again."""
        self._say(failure, self._column.banner.dismiss)

    def _say(self, failure: Failure, retry: Callable[[], None]) -> None:
        self._retry, self._fixes = retry, failure.fixes
        actions = [action for fix in failure.fixes for action in self._actions(fix)]
        self._column.banner.say(BannerText(Tone.ERROR, failure.what, failure.next_step, tuple(actions)))

    def _say_unforeseen(self, error: QuernError) -> None:
        self.say(failure_of(error))

    def _actions(self, fix: Fix) -> list[tuple[str, str]]:
        if fix is Fix.PICK_TEMPLATE:
            from quern.chat import BUILT_IN_TEMPLATES

            return [(TEMPLATE_PREFIX + name, self.tr("Use “{0}”").format(name)) for name in BUILT_IN_TEMPLATES]
        return [(fix.value, QCoreApplication.translate("ChatErrors", str(_TITLES[fix])))]

    def _act(self, key: str) -> None:
        if key.startswith(TEMPLATE_PREFIX):
            self._desk.outbox.pick_template(key.removeprefix(TEMPLATE_PREFIX))
            self._column.banner.hide()
            if Fix.REGENERATE in self._fixes:
                self._regenerate()
            else:
                self._send_again()
            return
        self._column.banner.hide()
        acts: dict[Fix, Callable[[], object]] = {
            Fix.RETRY: self._retry,
            Fix.REGENERATE: self._regenerate,
            Fix.LOAD_MODEL: self._column.picker.open_menu,
            Fix.NEW_CHAT: self._begin_new_chat,
            Fix.LARGER_CONTEXT: lambda: self.settings_requested.emit("load.n_ctx_cells"),
            Fix.FIT: self.fit_requested.emit,
            Fix.MACHINE: self.machine_requested.emit,
            Fix.MODELS: self.models_requested.emit,
        }
        acts[Fix(key)]()

    def _send_again(self) -> None:
        if self._column.composer.text.strip():
            self._column.composer.submit()
        else:
            self._regenerate()

    def _begin_new_chat(self) -> None:
        """Begin a new chat; a message that was too long for the old one comes along."""
        composer = self._column.composer
        text = composer.take_out() if Fix.LARGER_CONTEXT in self._fixes else ""
        self.new_chat_requested.emit()
        if text:
            composer.put_in_front(text)

    def _regenerate(self) -> None:
        messages = self._desk.chat.messages
        if messages:
            self._desk.outbox.regenerate(messages[-1].id)

    def _say_unsaved(self, _conversation_id: int, error: QuernError) -> None:
        failure = failure_of(error)
        self._column.save_banner.say(
            BannerText(
                Tone.WARNING,
                self.tr("The reply is not saved yet. {0}").format(failure.what),
                self.tr("{0} Quern keeps the text and tries again every second.").format(failure.next_step),
            )
        )

    def _say_recovered(self, recovery: Recovery) -> None:
        if recovery.restored_from is None:
            what = self.tr("The chat database was damaged, and there was no backup.")
        else:
            what = self.tr("The chat database was damaged; the newest backup was restored.")
        kept = self.tr("The damaged file is kept as {0}.").format(str(recovery.kept_as))
        self._column.recovery_banner.say(BannerText(Tone.WARNING, what, kept))


_TITLES = {
    Fix.RETRY: QT_TRANSLATE_NOOP("ChatErrors", "Try again"),
    Fix.REGENERATE: QT_TRANSLATE_NOOP("ChatErrors", "Write it again"),
    Fix.LOAD_MODEL: QT_TRANSLATE_NOOP("ChatErrors", "Choose a model"),
    Fix.NEW_CHAT: QT_TRANSLATE_NOOP("ChatErrors", "New chat"),
    Fix.LARGER_CONTEXT: QT_TRANSLATE_NOOP("ChatErrors", "Larger context…"),
    Fix.FIT: QT_TRANSLATE_NOOP("ChatErrors", "See what would help…"),
    Fix.MACHINE: QT_TRANSLATE_NOOP("ChatErrors", "Machine"),
    Fix.MODELS: QT_TRANSLATE_NOOP("ChatErrors", "Models"),
}
