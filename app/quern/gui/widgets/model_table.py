"""The table of models: sortable, with problem rows greyed and their reason in words."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, QSortFilterProxyModel, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from quern.gui.theme import GRID

from .model_rows import (
    ARCHITECTURE,
    CONTEXT,
    FIT,
    NAME,
    ORIGIN,
    PARAMETERS,
    QUANTIZATION,
    SIZE,
    SORT_ROLE,
    ModelRow,
    ModelTableModel,
)

NAME_WIDTH = 34 * GRID
CELL_PAD = 13


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
        with QSignalBlocker(self):
            self.rows_model.show_rows(rows)
            self._fit_columns()
            self.choose(name)
        if self.current_name() != name:
            self._tell_chosen()

    def show_changes(self, rows: Sequence[ModelRow]) -> None:
        """Show what is newly known of the same models; the view stays where it is."""
        if [row.name for row in rows] != [row.name for row in self.rows_model.rows]:
            self.show_rows(rows)
        elif self.rows_model.show_changes(rows):
            self._fit_columns()

    def choose(self, name: str) -> None:
        """Choose the model `name`, or the first one."""
        for number in range(self._sorted.rowCount()):
            if self._name_at(number) == name:
                self._select(number)
                return
        if self._sorted.rowCount():
            self._select(0)

    def _select(self, row: int) -> None:
        """Make `row` the current one (from right to left, Qt's selectRow finds no column: 6.11)."""
        self.setCurrentIndex(self._sorted.index(row, NAME))

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
        for column in (FIT, SIZE, PARAMETERS, QUANTIZATION, CONTEXT, ARCHITECTURE, ORIGIN):
            # The header gives no size for a column that is hidden.
            self.setColumnHidden(column, False)
            room -= max(self.sizeHintForColumn(column), self.horizontalHeader().sectionSizeHint(column))
            self.setColumnHidden(column, room < 0)

    def _name_at(self, row: int) -> str:
        return self.rows_model.rows[self._sorted.mapToSource(self._sorted.index(row, 0)).row()].name
