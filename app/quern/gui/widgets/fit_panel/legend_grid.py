"""Where the rows of a legend stand: side by side for one device, a table with columns for several."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from PySide6.QtCore import QRect
from PySide6.QtGui import QFont, QFontMetrics

from quern.gui.theme import GRID
from quern.gui.theme.metrics import scaled

SWATCH = 12
LINE_GAP = 4
COLUMN_GAP = 3 * GRID
WIDEST_FIGURE = "888.8 GiB"
MOST_COLUMNS = 3
WIDEST_CELL = 46 * GRID


@dataclass(frozen=True, slots=True, kw_only=True)
class LegendSizes:
    """What words and figures need, in pixels; `cell` is a row with one figure, `widest` how wide it may become."""

    line: int
    figure: int
    cell: int
    widest: int

    @classmethod
    def of(cls, font: QFont, names: Sequence[str]) -> Self:
        """Measure `names` in `font`."""
        metrics = QFontMetrics(font)
        figure = metrics.horizontalAdvance(WIDEST_FIGURE) + GRID
        cell = SWATCH + GRID + max((metrics.horizontalAdvance(name) for name in names), default=0) + figure
        line = metrics.height() + LINE_GAP
        return cls(line=line, figure=figure, cell=cell, widest=max(cell, scaled(WIDEST_CELL, line)))


@dataclass(frozen=True, slots=True, kw_only=True)
class LegendGrid:
    """The places for `n_rows` parts of `n_devices` in `width` pixels, counted from the left."""

    n_rows: int
    n_devices: int
    width: int
    sizes: LegendSizes

    @property
    def is_table(self) -> bool:
        """Whether there is a line of heads, and one row to a line."""
        return self.n_devices > 1

    @property
    def n_figures(self) -> int:
        """Figures to a row: one for each device, one for all where those have no room."""
        needed = self.sizes.cell + (self.n_devices - 1) * self.sizes.figure
        return self.n_devices if self.n_devices and self.width >= needed else 1

    @property
    def n_columns(self) -> int:
        """Rows side by side."""
        fitting = (self.width + COLUMN_GAP) // (self.sizes.cell + COLUMN_GAP)
        return 1 if self.is_table else max(1, min(MOST_COLUMNS, fitting))

    @property
    def n_lines(self) -> int:
        """Lines of rows, without that of the heads."""
        return max(1, -(-self.n_rows // self.n_columns))

    @property
    def height(self) -> int:
        """The height of everything."""
        return (self.n_lines + self.is_table) * self.sizes.line if self.n_rows else 0

    @property
    def cell_width(self) -> int:
        """The width of a row."""
        share = (self.width - (self.n_columns - 1) * COLUMN_GAP) // self.n_columns
        return min(share, max(self.sizes.widest, self.sizes.cell + (self.n_figures - 1) * self.sizes.figure))

    @property
    def head(self) -> QRect:
        """The line of heads."""
        return QRect(0, 0, self.cell_width, self.sizes.line)

    def cells(self) -> list[QRect]:
        """Return the place of every row."""
        width, height, n_lines = self.cell_width, self.sizes.line, self.n_lines
        top = height if self.is_table else 0
        places = (divmod(number, n_lines) for number in range(self.n_rows))
        return [QRect(column * (width + COLUMN_GAP), top + line * height, width, height) for column, line in places]

    def figures(self, cell: QRect) -> list[QRect]:
        """Return the places of a row's figures, at the end of its `cell`."""
        width, count = self.sizes.figure, self.n_figures
        end = cell.left() + cell.width()
        return [QRect(end - (count - number) * width, cell.top(), width, cell.height()) for number in range(count)]
