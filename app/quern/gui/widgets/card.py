"""A titled group of facts."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from quern.gui.theme import GRID

from .fact_grid import Fact, FactGrid
from .label import text_label


class Card(QFrame):
    """Owns a title and its facts."""

    def __init__(self, title: str, facts: Sequence[Fact], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(title)
        self.facts = FactGrid()
        self.facts.show_facts(facts)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(text_label(title, "section"))
        layout.addWidget(self.facts)
