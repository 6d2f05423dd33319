"""The chat page: conversations on one side, the chat in the middle, its options on the other side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QWidget

from quern.gui.theme.metrics import scaled
from quern.gui.viewmodels.desk import Desk
from quern.gui.widgets.conversation_list import ConversationList
from quern.gui.widgets.label import line

from .chat_column import ChatColumn
from .chat_error import ChatErrors
from .chat_list import bind_list
from .chat_loading import ChatLoading
from .chat_talk import ChatTalk

if TYPE_CHECKING:
    from quern.gui.widgets.options_panel import OptionsPanel

# The narrowest chat beside both panels, in pixels at normal text size.
COLUMN_SMALLEST = 320


class ChatPage(QWidget):
    """Owns the three columns and the objects that bind them to the desk.

    `models_requested` asks for the Models page, `settings_requested` for a setting by its key, `add_requested` for
    the dialog that adds a model file.
    """

    models_requested = Signal()
    settings_requested = Signal(str)
    add_requested = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.list = ConversationList()
        self.column = ChatColumn()
        self._options: OptionsPanel | None = None
        self._list_line = line("column-line")
        self._wants_list = True
        layout = self._layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self.list, self._list_line, self.column):
            layout.addWidget(widget, 1 if widget is self.column else 0)
        bind_list(self.list, desk)
        self._talk = ChatTalk(self.column, desk)
        self._loading = ChatLoading(self.column, desk)
        self._errors = ChatErrors(self.column, desk)
        self._errors.models_requested.connect(self.models_requested)
        self._errors.settings_requested.connect(self.settings_requested)
        self._bind()
        self.setFocusProxy(self.column.composer.edit)

    @property
    def options(self) -> OptionsPanel:
        """The options panel, built when it is first shown."""
        if self._options is None:
            from quern.gui.widgets.options_panel import OptionsPanel

            from .chat_option import bind_options

            self._options = OptionsPanel()
            self._layout.addWidget(self._options)
            bind_options(self._options, self._desk)
        return self._options

    def new_chat(self) -> None:
        """Show a new chat, cursor in the composer."""
        # First the focus: a field that loses it tells what was typed in it, and that belongs to the chat shown now.
        self.column.composer.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._desk.chat.show(None)

    def say_crashed(self) -> None:
        """Say that Quern ended unexpectedly and was started again."""
        self._errors.say_crashed()

    def _bind(self) -> None:
        column = self.column
        self.list.new_requested.connect(self.new_chat)
        self._errors.new_chat_requested.connect(self.new_chat)
        column.add_button.clicked.connect(self.add_requested)
        column.picker.models_requested.connect(self.models_requested)
        column.options_button.toggled.connect(self._show_options)
        column.list_button.clicked.connect(self._toggle_list)
        column.list_button.bind("Ctrl+B")
        column.options_button.bind("Ctrl+Shift+O")
        column.find_bar.closed.connect(column.composer.edit.setFocus)
        for keys, act in (
            (QKeySequence(QKeySequence.StandardKey.New), self.new_chat),
            (QKeySequence(QKeySequence.StandardKey.Find), column.find_bar.open_bar),
            (QKeySequence("Ctrl+Shift+F"), self._focus_search),
            (QKeySequence("Ctrl+M"), column.picker.open_menu),
            (QKeySequence("F2"), self.list.rename_current),
            (QKeySequence("Ctrl+P"), self._toggle_pin),
            (QKeySequence("Ctrl+L"), column.composer.edit.setFocus),
            (QKeySequence("Ctrl+Shift+Backspace"), self._delete_chat),
        ):
            shortcut = QShortcut(keys, self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the chat itself the room it needs."""
        super().resizeEvent(event)
        self._share_room()

    def _toggle_list(self) -> None:
        self._wants_list = self.list.isHidden()
        if self._wants_list and not self._has_room_for_both():
            self.column.options_button.setChecked(False)
        self._share_room()

    def _show_options(self) -> None:
        self._share_room()

    def _share_room(self) -> None:
        """Options and list side by side where there is room; else the list makes way for the options."""
        shows_options = self.column.options_button.isChecked()
        if shows_options or self._options is not None:
            self.options.setVisible(shows_options)
        shows_list = self._wants_list and (not shows_options or self._has_room_for_both())
        self.list.setVisible(shows_list)
        self._list_line.setVisible(shows_list)

    def _has_room_for_both(self) -> bool:
        column = scaled(COLUMN_SMALLEST, self.fontMetrics().height())
        return self.width() >= self.list.maximumWidth() + self.options.maximumWidth() + column

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
