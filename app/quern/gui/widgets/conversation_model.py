"""The rows of the conversation list as a Qt model: headings, and conversations that can be renamed."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from .conversation_group import ConversationItem, Heading, ListRow

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ConversationModel(QAbstractListModel):
    """Owns the rows; `renamed` carries (conversation id, new title) after a person edited a row."""

    renamed = Signal(int, str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[ListRow, ...] = ()

    def show_rows(self, rows: Sequence[ListRow]) -> None:
        """Replace all rows; where only their content changed, selection and scroll place are kept."""
        same_shape = [_key(row) for row in rows] == [_key(row) for row in self._rows]
        if same_shape:
            self._rows = tuple(rows)
            if self._rows:
                self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))
            return
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def row_at(self, index: Index) -> ListRow | None:
        """Return the row at `index`, or None outside."""
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def index_of(self, conversation_id: int) -> QModelIndex:
        """Return the first row of a conversation, or an invalid index."""
        for number, row in enumerate(self._rows):
            if isinstance(row, ConversationItem) and row.id == conversation_id:
                return self.index(number)
        return QModelIndex()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Rows of the model."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a cell shows."""
        row = self.row_at(index)
        if row is None:
            return None
        if isinstance(row, Heading):
            return row.text if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) else None
        return self._conversation_data(row, role)

    def _conversation_data(self, row: ConversationItem, role: int) -> object:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            extras = [self.tr("pinned")] * row.is_pinned + [self.tr("replying")] * row.is_running
            return ", ".join([row.title, *extras, *([row.snippet] if row.snippet else [])])
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What can be done with a row."""
        if isinstance(self.row_at(index), ConversationItem):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
        return Qt.ItemFlag.NoItemFlags

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a new title."""
        del role
        row = self.row_at(index)
        title = str(value).strip()
        if not isinstance(row, ConversationItem) or not title or title == row.title:
            return False
        self.renamed.emit(row.id, title)
        return True


def _key(row: ListRow) -> tuple[str, int | None, int | None]:
    if isinstance(row, Heading):
        return (row.text, None, None)
    return ("", row.id, row.message_id)
