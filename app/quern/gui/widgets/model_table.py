"""The table of models: sortable, with problem rows greyed and their reason in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from quern.base.units import format_bytes, format_count, format_short_count
from quern.gui.theme import GRID, current_colors

Index = QModelIndex | QPersistentModelIndex
SORT_ROLE = Qt.ItemDataRole.UserRole
NAME, PARAMETERS, ARCHITECTURE, QUANTIZATION, SIZE, CONTEXT, ORIGIN = range(7)
NAME_WIDTH = 34 * GRID
CELL_PAD = 13
_ROOT = QModelIndex()
_NUMBERS = (PARAMETERS, SIZE, CONTEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model as the table shows it; `problem` says why it cannot be used ("" where it can)."""

    name: str
    n_parameters: int = 0
    architecture: str = ""
    quantization: str = ""
    size_bytes: int = 0
    n_ctx_train: int = 0
    origin: str = ""
    problem: str = ""
    is_loaded: bool = False


class ModelTableModel(QAbstractTableModel):
    """Owns the rows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._widget = parent
        self.rows: tuple[ModelRow, ...] = ()
        self._titles = (
            self.tr("Name"),
            self.tr("Parameters"),
            self.tr("Architecture"),
            self.tr("Quantization"),
            self.tr("Size"),
            self.tr("Context"),
            self.tr("Origin"),
        )

    def show_rows(self, rows: Sequence[ModelRow]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Rows of the model."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Columns of the model."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Titles of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a cell shows."""
        row, column = self.rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(row, column)
            case Qt.ItemDataRole.ToolTipRole:
                return row.problem or self._text(row, column)
            case Qt.ItemDataRole.AccessibleTextRole:
                text = self._text(row, column)
                return f"{text}: {row.problem}" if row.problem and column == NAME else text
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
            case Qt.ItemDataRole.ForegroundRole if row.problem:
                return QColor(current_colors().faint)
            case Qt.ItemDataRole.FontRole if column == NAME and row.is_loaded:
                font = self._widget.font()
                font.setBold(True)
                return font
            case _ if role == SORT_ROLE:
                return self._sort_key(row, column)
            case _:
                return None

    def _text(self, row: ModelRow, column: int) -> str:
        if row.problem and column not in (NAME, SIZE, ORIGIN):
            return self.tr("cannot be used") if column == QUANTIZATION else ""
        match column:
            case 0:
                return self.tr("{0} (loaded)").format(row.name) if row.is_loaded else row.name
            case 1:
                return format_short_count(row.n_parameters) if row.n_parameters else ""
            case 2:
                return row.architecture
            case 3:
                return row.quantization
            case 4:
                return format_bytes(row.size_bytes) if row.size_bytes else ""
            case 5:
                return format_count(row.n_ctx_train) if row.n_ctx_train else ""
            case _:
                return row.origin

    def _sort_key(self, row: ModelRow, column: int) -> object:
        match column:
            case 1:
                return row.n_parameters
            case 4:
                return row.size_bytes
            case 5:
                return row.n_ctx_train
            case _:
                return self._text(row, column).casefold()


class ModelTable(QTableView):
    """Owns view, sorting and selection; `chosen` carries the name of the chosen model, `activated_model` on Enter."""

    chosen = Signal(str)
    activated_model = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows_model = ModelTableModel(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.rows_model)
        self._sorted.setSortRole(SORT_ROLE)
        self.setModel(self._sorted)
        self.setSortingEnabled(True)
        self.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
        self.setAccessibleName(self.tr("Models"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self._fit_rows()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        # A cell's text stands a little further in than the style sheet says; the titles stand over it.
        header.setStyleSheet(f"QHeaderView::section {{ padding-left: {CELL_PAD}px; padding-right: {CELL_PAD}px; }}")
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(8 * GRID)
        self.selectionModel().currentRowChanged.connect(self._tell_chosen)
        self.activated.connect(self._tell_activated)

    def show_rows(self, rows: Sequence[ModelRow]) -> None:
        """Show `rows`; the chosen model stays chosen where it is still there."""
        name = self.current_name()
        self.rows_model.show_rows(rows)
        self._fit_columns()
        self.choose(name)

    def choose(self, name: str) -> None:
        """Choose the model `name`, or the first one."""
        for number in range(self._sorted.rowCount()):
            if self._name_at(number) == name:
                self.selectRow(number)
                return
        if self._sorted.rowCount():
            self.selectRow(0)

    def current_name(self) -> str:
        """The chosen model's name, "" where none is."""
        index = self.currentIndex()
        return self._name_at(index.row()) if index.isValid() else ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit what is shown into the new size."""
        super().resizeEvent(event)
        self._fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font, once the style sheet has given every part its own."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            QTimer.singleShot(0, self, self._fit_again)

    def _fit_again(self) -> None:
        self._fit_rows()
        self._fit_columns()
        self.horizontalHeader().resizeSections()

    def _fit_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2 * GRID + 2)

    def _tell_chosen(self) -> None:
        self.chosen.emit(self.current_name())

    def _tell_activated(self) -> None:
        self.activated_model.emit(self.current_name())

    def _fit_columns(self) -> None:
        """Leave the name enough room: what the details also say goes first."""
        room = self.viewport().width() - NAME_WIDTH
        for column in (PARAMETERS, SIZE, QUANTIZATION, CONTEXT, ARCHITECTURE, ORIGIN):
            # The header gives no size for a column that is hidden.
            self.setColumnHidden(column, False)
            room -= max(self.sizeHintForColumn(column), self.horizontalHeader().sectionSizeHint(column))
            self.setColumnHidden(column, room < 0)

    def _name_at(self, row: int) -> str:
        return self.rows_model.rows[self._sorted.mapToSource(self._sorted.index(row, 0)).row()].name


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignTrailing if column in _NUMBERS else Qt.AlignmentFlag.AlignLeading
    return side | Qt.AlignmentFlag.AlignVCenter
