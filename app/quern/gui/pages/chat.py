"""The chat page: conversations on one side, the chat in the middle, its options on the other side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from quern.gui.theme.metrics import scaled
from quern.gui.viewmodels.desk import Desk
from quern.gui.widgets.conversation_list import ConversationList
from quern.gui.widgets.label import line
from quern.gui.widgets.page import Page
from quern.gui.widgets.shortcut import bind_keys
from quern.gui.widgets.tab_order import chain_tabs

from .chat_column import ChatColumn
from .chat_error import ChatErrors
from .chat_list import bind_list
from .chat_loading import ChatLoading
from .chat_talk import ChatTalk
from .gpu_banner import GpuBanner

if TYPE_CHECKING:
    from quern.gui.viewmodels.failure import Failure
    from quern.gui.widgets.options_panel import OptionsPanel

# The narrowest chat beside both panels, in pixels at normal text size.
COLUMN_SMALLEST = 320


class ChatPage(Page):
    """Owns the three columns and the objects that bind them to the desk.

    `models_requested` and `machine_requested` ask for those pages, `settings_requested` for a setting by its key,
    `add_requested` for the dialog that adds a model file.
    """

    models_requested = Signal()
    machine_requested = Signal()
    settings_requested = Signal(str)
    add_requested = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.list = ConversationList()
        self.column = ChatColumn()
        self._options: OptionsPanel | None = None
        self._list_line = line("column-line")
        self._wish_for_list: bool | None = None
        layout = self._layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self.list, self._list_line, self.column):
            layout.addWidget(widget, 1 if widget is self.column else 0)
        bind_list(self.list, desk)
        self._talk = ChatTalk(self.column, desk)
        self._loading = ChatLoading(self.column, desk)
        self._errors = ChatErrors(self.column, desk)
        self._gpu = GpuBanner(self.column.gpu_banner, desk.gpu)
        self._gpu.machine_requested.connect(self.machine_requested)
        self._errors.models_requested.connect(self.models_requested)
        self._errors.machine_requested.connect(self.machine_requested)
        self._errors.settings_requested.connect(self.settings_requested)
        self._bind()
        self.column.built.connect(self.order_tabs)
        self.order_tabs()
        self.settle(self.column.composer.edit)

    @property
    def options(self) -> OptionsPanel:
        """The options panel, built when it is first shown."""
        if self._options is None:
            from quern.gui.widgets.options_panel import OptionsPanel

            from .chat_option import bind_options

            self._options = OptionsPanel()
            self._layout.addWidget(self._options)
            bind_options(self._options, self._desk)
            self.order_tabs()
        return self._options

    def order_tabs(self) -> None:
        """Have Tab go through the controls as they are seen; again whenever one was built."""
        column = self.column
        seen: list[QWidget] = [self.list, column.list_button, column.picker, column.find_bar, *column.banners()]
        seen += [column.stack, column.composer, column.options_button]
        chain_tabs(*seen, *([] if self._options is None else [self._options]))

    def new_chat(self) -> None:
        """Show a new chat, cursor in the composer."""
        # First the focus: a field that loses it tells what was typed in it, and that belongs to the chat shown now.
        self.column.composer.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._desk.chat.show(None)

    def say_crashed(self) -> None:
        """Say that Quern ended unexpectedly and was started again."""
        self._errors.say_crashed()

    def say(self, failure: Failure) -> None:
        """Say what went wrong here."""
        self._errors.say(failure)

    def open_load_dialog(self) -> None:
        """Let the person load a model with settings of their own: the one that was asked for last comes first."""
        if QApplication.activeModalWidget() is not None or not self._desk.shelf.usable:
            return
        from quern.gui.dialogs.load import LoadDialog

        shelf = self._desk.shelf
        resident = None if shelf.resident is None else shelf.resident.entry
        LoadDialog(self._desk, shelf.wanted or resident, self).open()

    def _bind(self) -> None:
        column = self.column
        self._errors.fit_requested.connect(self.open_load_dialog)
        self._desk.refused.connect(self.open_load_dialog)
        column.picker.settings_requested.connect(self.open_load_dialog)
        self.list.new_requested.connect(self.new_chat)
        self._errors.new_chat_requested.connect(self.new_chat)
        column.add_button.clicked.connect(self.add_requested)
        column.picker.models_requested.connect(self.models_requested)
        column.options_button.toggled.connect(self._show_options)
        column.list_button.clicked.connect(self._toggle_list)
        column.list_button.bind("Ctrl+B")
        column.options_button.bind("Ctrl+Shift+O")
        column.find_bar.closed.connect(column.composer.edit.setFocus)
        for title, keys, act in (
            (self.tr("New chat"), QKeySequence.StandardKey.New, self.new_chat),
            (self.tr("Find in this chat"), QKeySequence.StandardKey.Find, column.find_bar.open_bar),
            (self.tr("Search all chats"), "Ctrl+Shift+F", self._focus_search),
            (self.tr("Choose a model"), "Ctrl+M", column.picker.open_menu),
            (self.tr("Load a model with settings"), "Ctrl+Shift+M", self.open_load_dialog),
            (self.tr("Go to the message box"), "Ctrl+L", column.composer.edit.setFocus),
            (self.tr("Rename the chat"), "F2", self.list.rename_current),
            (self.tr("Pin or unpin the chat"), "Ctrl+P", self._toggle_pin),
            (self.tr("Delete the chat"), "Ctrl+Shift+Backspace", self._delete_chat),
        ):
            bind_keys(self, title, keys, act)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the chat itself the room it needs."""
        super().resizeEvent(event)
        self._share_room()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            QTimer.singleShot(0, self, self._share_room)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the keys that no control of the page wanted: Esc stops the reply, text goes to the composer."""
        composer = self.column.composer
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            composer.escape()
        elif composer.edit.isVisible() and _is_writing(event):
            composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            QApplication.sendEvent(composer.edit, event)
        else:
            super().keyPressEvent(event)

    def _toggle_list(self) -> None:
        self._wish_for_list = self.list.isHidden()
        if self._wish_for_list and not self._has_room_for_both():
            self.column.options_button.setChecked(False)
        self._share_room()

    def _show_options(self) -> None:
        self._share_room()

    def _share_room(self) -> None:
        """Options and list side by side where there is room; else the list makes way for the options or the chat."""
        shows_options = self.column.options_button.isChecked()
        if shows_options or self._options is not None:
            self.options.setVisible(shows_options)
        if shows_options:
            shows_list = self._wish_for_list is not False and self._has_room_for_both()
        else:
            shows_list = self._has_room_for_list() if self._wish_for_list is None else self._wish_for_list
        self.list.setVisible(shows_list)
        self._list_line.setVisible(shows_list)

    def _has_room_for_list(self) -> bool:
        return self.width() >= self.list.maximumWidth() + self._smallest_column()

    def _has_room_for_both(self) -> bool:
        return self.width() >= self.list.maximumWidth() + self.options.maximumWidth() + self._smallest_column()

    def _smallest_column(self) -> int:
        return scaled(COLUMN_SMALLEST, self.fontMetrics().height())

    def _focus_search(self) -> None:
        if self.list.isHidden():
            self._toggle_list()
        self.list.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.list.search.selectAll()

    def _toggle_pin(self) -> None:
        item = self.list.current_item()
        if item is not None:
            self._desk.conversations.toggle_pin(item.id)

    def _delete_chat(self) -> None:
        if self._desk.chat.id is not None:
            self._desk.conversations.delete(self._desk.chat.id)


def _is_writing(event: QKeyEvent) -> bool:
    """Whether `event` is text that a person types or pastes (a blank alone pages or presses a button)."""
    shift_or_none = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
    has_text = event.text().isprintable() and bool(event.text().strip())
    # AltGr arrives as Control and Alt together on Windows.
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    is_plain = not event.modifiers() & ~shift_or_none or event.modifiers() & both == both
    return (has_text and is_plain) or event.matches(QKeySequence.StandardKey.Paste)
