"""The list of conversations: by day, searchable, renamed in place, with a menu per row."""

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QLineEdit, QListView, QMenu, QVBoxLayout, QWidget

from quern.gui.theme import GRID, current_colors, icon
from quern.gui.theme.metrics import SIDE_PANEL_WIDTH, scaled

from .conversation_delegate import ConversationDelegate
from .conversation_group import ConversationItem, grouped, ungrouped
from .conversation_model import ConversationModel
from .icon_button import IconButton

SEARCH_DELAY_MS = 150


class ConversationList(QWidget):
    """Owns search box, new-chat button and list. `opened` carries (conversation id, message id or 0)."""

    opened = Signal(int, int)
    new_requested = Signal()
    renamed = Signal(int, str)
    pin_toggled = Signal(int)
    deleted = Signal(int)
    searched = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Conversations"))
        self.search = QLineEdit()
        self.search.setProperty("look", "search")
        self.search.setPlaceholderText(self.tr("Search all chats"))
        self.search.setAccessibleName(self.tr("Search all chats"))
        self.search.setToolTip(self.tr("Search all chats (Ctrl+Shift+F)"))
        self.search.setClearButtonEnabled(True)
        self.new_button = IconButton("compose", self.tr("New chat"))
        self.new_button.say(self.tr("New chat"), QKeySequence.StandardKey.New)
        self.new_button.clicked.connect(self.new_requested)
        self.model = ConversationModel()
        self.model.renamed.connect(self.renamed)
        self.view = _ListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(ConversationDelegate(self.view))
        self.view.setAccessibleName(self.tr("Conversations"))
        self.view.menu_requested.connect(self._show_menu)
        self.view.deletion_requested.connect(self._delete)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self._search_timer = QTimer(self)
        self._search_timer.setSingleShot(True)
        self._search_timer.setInterval(SEARCH_DELAY_MS)
        self._search_timer.timeout.connect(self._search_now)
        self.search.textChanged.connect(self._search_later)
        self.search.installEventFilter(self)
        self._opens_first = False
        self._is_searching = False
        self._lay_out()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def show_conversations(self, items: Sequence[ConversationItem], current_id: int | None) -> None:
        """Show `items` by day with `current_id` chosen."""
        self.model.show_rows(grouped(items, date.today()))
        self.choose(current_id)

    def show_hits(self, items: Sequence[ConversationItem], current_id: int | None) -> None:
        """Show search results in their order."""
        self.model.show_rows(ungrouped(items))
        self.choose(current_id)
        self._is_searching = False
        if self._opens_first:
            self._open_first()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """In the search field Down goes to the results, Enter opens the first one, Esc clears the field."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            match event.key():
                case Qt.Key.Key_Down:
                    self._go_to_rows()
                    return True
                case Qt.Key.Key_Return | Qt.Key.Key_Enter if self.search.text().strip():
                    self._open_first_soon()
                    return True
                case Qt.Key.Key_Escape if self.search.text():
                    self.search.clear()
                    self._search_now()
                    return True
                case _:
                    pass
        return super().eventFilter(watched, event)

    def choose(self, conversation_id: int | None) -> None:
        """Mark a conversation as the open one; says nothing."""
        selection = self.view.selectionModel()
        index = QModelIndex() if conversation_id is None else self.model.index_of(conversation_id)
        chosen = self.model.row_at(self.view.currentIndex())
        if isinstance(chosen, ConversationItem) and chosen.id == conversation_id:
            return
        selection.blockSignals(True)
        if index.isValid():
            selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.view.scrollTo(index)
        else:
            selection.clear()
        selection.blockSignals(False)
        self.view.viewport().update()

    def rename_current(self) -> None:
        """Let the person rename the chosen conversation in its row."""
        index = self.view.currentIndex()
        if index.isValid():
            self.view.setFocus()
            self.view.edit(index)

    def menu_for(self, item: ConversationItem) -> QMenu:
        """Return the menu of one conversation."""
        menu = QMenu(self)
        colors = current_colors()
        entries = (
            ("rename", self.tr("Rename"), "F2", self.rename_current),
            (
                "pin",
                self.tr("Unpin") if item.is_pinned else self.tr("Pin"),
                "Ctrl+P",
                lambda: self.pin_toggled.emit(item.id),
            ),
            ("trash", self.tr("Delete"), "Del", lambda: self.deleted.emit(item.id)),
        )
        for icon_name, title, keys, act in entries:
            action = QAction(icon(icon_name, colors.muted), title, menu)
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(act)
            menu.addAction(action)
        return menu

    def current_item(self) -> ConversationItem | None:
        """The chosen conversation, or None."""
        row = self.model.row_at(self.view.currentIndex())
        return row if isinstance(row, ConversationItem) else None

    def _fit(self) -> None:
        self.setFixedWidth(scaled(SIDE_PANEL_WIDTH, self.fontMetrics().height()))

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(GRID // 2)
        top.addWidget(self.search, 1)
        top.addWidget(self.new_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID + 4, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addLayout(top)
        layout.addWidget(self.view, 1)

    def _search_later(self) -> None:
        self._opens_first = False
        self._search_timer.start()

    def _search_now(self) -> None:
        self._search_timer.stop()
        text = self.search.text().strip()
        self._is_searching = bool(text)
        self.searched.emit(text)

    def _open_first_soon(self) -> None:
        """Open the first result: now, or when a search that still waits has found it."""
        if self._search_timer.isActive():
            self._search_now()
        if self._is_searching:
            self._opens_first = True
        else:
            self._open_first()

    def _open_first(self) -> None:
        self._opens_first = False
        row = self.model.row_at(self._first_index())
        if isinstance(row, ConversationItem):
            self.choose(row.id)
            self.opened.emit(row.id, row.message_id or 0)

    def _go_to_rows(self) -> None:
        """Put the focus on the list, on the chosen row or the first one."""
        if not self._first_index().isValid():
            return
        self.view.setFocus(Qt.FocusReason.TabFocusReason)
        if not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self._first_index())

    def _first_index(self) -> QModelIndex:
        """The first row that is a conversation, or an invalid index."""
        indexes = (self.model.index(number) for number in range(self.model.rowCount()))
        return next((i for i in indexes if isinstance(self.model.row_at(i), ConversationItem)), QModelIndex())

    def _on_current(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if isinstance(row, ConversationItem):
            self.opened.emit(row.id, row.message_id or 0)

    def _show_menu(self, index: QModelIndex, place: QPoint) -> None:
        row = self.model.row_at(index)
        if isinstance(row, ConversationItem):
            menu = self.menu_for(row)
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(place)

    def _delete(self) -> None:
        item = self.current_item()
        if item is not None:
            self.deleted.emit(item.id)


class _ListView(QListView):
    """A list with a menu by mouse and keyboard and Delete for the chosen row."""

    menu_requested = Signal(QModelIndex, QPoint)
    deletion_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMouseTracking(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that mean something here."""
        if event.key() == Qt.Key.Key_Delete:
            self.deletion_requested.emit()
        else:
            super().keyPressEvent(event)

    def _on_menu(self, place: QPoint) -> None:
        index = self.indexAt(place)
        if not index.isValid():
            index = self.currentIndex()
            place = self.visualRect(index).bottomLeft()
        self.menu_requested.emit(index, self.viewport().mapToGlobal(place))
