"""The rows of the table of models: what each cell shows, reads out and is sorted by."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QWidget

from quern.base.units import format_bytes, format_count, format_short_count
from quern.gui.theme import current_colors, icon
from quern.gui.theme.metrics import ICON_SMALL

Index = QModelIndex | QPersistentModelIndex
SORT_ROLE = Qt.ItemDataRole.UserRole
NAME, FIT, PARAMETERS, ARCHITECTURE, QUANTIZATION, SIZE, CONTEXT, ORIGIN = range(8)
_ROOT = QModelIndex()
_NUMBERS = (PARAMETERS, SIZE, CONTEXT)


class FitMark(StrEnum):
    """How a model fits; the order is the one in which the column is sorted."""

    FITS = "fits"
    TIGHT = "tight"
    PARTIAL = "partial"
    TOO_LARGE = "too_large"
    UNKNOWN = "unknown"


_FIT_ICONS = {
    FitMark.FITS: ("check", "success"),
    FitMark.TIGHT: ("warning", "warning"),
    FitMark.PARTIAL: ("warning", "warning"),
    FitMark.TOO_LARGE: ("error", "danger"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model as the table shows it; `problem` says why it cannot be used ("" where it can).

    `fit` says in a few words how it fits, `fit_sentence` in whole sentences; both "" until it is known.
    """

    name: str
    n_parameters: int = 0
    architecture: str = ""
    quantization: str = ""
    size_bytes: int = 0
    n_ctx_train: int = 0
    origin: str = ""
    problem: str = ""
    is_loaded: bool = False
    fit: str = ""
    fit_mark: FitMark = FitMark.UNKNOWN
    fit_sentence: str = ""


class ModelTableModel(QAbstractTableModel):
    """Owns the rows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._widget = parent
        self.rows: tuple[ModelRow, ...] = ()
        self._titles = (
            self.tr("Name"),
            self.tr("Fits here"),
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

    def show_changes(self, rows: Sequence[ModelRow]) -> bool:
        """Replace the rows that differ, where they are the same models in the same order; tell whether any did."""
        assert [row.name for row in rows] == [row.name for row in self.rows]
        changed = [number for number, row in enumerate(rows) if row != self.rows[number]]
        self.rows = tuple(rows)
        for number in changed:
            self.dataChanged.emit(self.index(number, 0), self.index(number, self.columnCount() - 1))
        return bool(changed)

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
                return row.problem or (row.fit_sentence if column == FIT else self._text(row, column))
            case Qt.ItemDataRole.DecorationRole if column == FIT:
                return _fit_icon(row.fit_mark)
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
                return row.fit
            case 2:
                return format_short_count(row.n_parameters) if row.n_parameters else ""
            case 3:
                return row.architecture
            case 4:
                return row.quantization
            case 5:
                return self._figure(format_bytes(row.size_bytes)) if row.size_bytes else ""
            case 6:
                return format_count(row.n_ctx_train) if row.n_ctx_train else ""
            case _:
                return row.origin

    def _figure(self, text: str) -> str:
        """Return `text` so that the number stands before its unit from right to left, too."""
        return f"\u200e{text}" if self._widget.layoutDirection() is Qt.LayoutDirection.RightToLeft else text

    def _sort_key(self, row: ModelRow, column: int) -> object:
        match column:
            case 1:
                return tuple(FitMark).index(row.fit_mark)
            case 2:
                return row.n_parameters
            case 5:
                return row.size_bytes
            case 6:
                return row.n_ctx_train
            case _:
                return self._text(row, column).casefold()


def _fit_icon(mark: FitMark) -> QIcon | None:
    if mark not in _FIT_ICONS:
        return None
    name, tint = _FIT_ICONS[mark]
    return icon(name, str(getattr(current_colors(), tint)), size=ICON_SMALL)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignTrailing if column in _NUMBERS else Qt.AlignmentFlag.AlignLeading
    return side | Qt.AlignmentFlag.AlignVCenter
