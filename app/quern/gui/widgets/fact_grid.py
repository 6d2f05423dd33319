"""Facts in two quiet columns: names on one side, values on the other, both selectable and read out together."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from quern.gui.theme import GRID

from .label import text_label

Fact = tuple[str, str]


class FactGrid(QWidget):
    """Owns the rows; `show_facts` replaces them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID - 2)
        self._grid.setColumnStretch(1, 1)
        self._labels: list[tuple[QLabel, QLabel]] = []

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show `facts` as (name, value); rows are kept where they can be."""
        while len(self._labels) < len(facts):
            self._add_row()
        for row, (name, value) in enumerate(self._labels):
            is_used = row < len(facts)
            name.setVisible(is_used)
            value.setVisible(is_used)
            if is_used:
                name.setText(facts[row][0])
                value.setText(facts[row][1])
                value.setAccessibleName(f"{facts[row][0]}: {facts[row][1]}")

    def facts(self) -> tuple[Fact, ...]:
        """The facts shown."""
        return tuple((name.text(), value.text()) for name, value in self._labels if not value.isHidden())

    def _add_row(self) -> None:
        name, value = text_label(look="muted"), text_label(wraps=True)
        for label in (name, value):
            label.setAlignment(label.alignment() & ~Qt.AlignmentFlag.AlignVertical_Mask | Qt.AlignmentFlag.AlignTop)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        row = len(self._labels)
        self._grid.addWidget(name, row, 0)
        self._grid.addWidget(value, row, 1)
        self._labels.append((name, value))
