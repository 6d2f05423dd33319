"""Lists the keys that do something, page by page."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFrame, QScrollArea, QVBoxLayout, QWidget

from quern.gui.theme import GRID, MARGIN
from quern.gui.theme.metrics import scaled
from quern.gui.widgets.fact_grid import Fact, FactGrid
from quern.gui.widgets.label import text_label

WIDTH, HEIGHT = 52 * GRID, 66 * GRID


class ShortcutsDialog(QDialog):
    """Shows `groups`: a title, and (what it does, keys) for each shortcut."""

    def __init__(self, groups: Sequence[tuple[str, Sequence[Fact]]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.groups = tuple((title, tuple(facts)) for title, facts in groups)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, GRID, 0)
        column.setSpacing(GRID)
        for title, facts in self.groups:
            grid = FactGrid()
            grid.show_facts(facts)
            column.addWidget(text_label(title, "section"))
            column.addWidget(grid)
            column.addSpacing(GRID)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setAccessibleName(self.windowTitle())
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(content)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        layout.setSpacing(GRID)
        layout.addWidget(text_label(self.windowTitle(), "heading"))
        layout.addWidget(scroll, 1)
        layout.addWidget(buttons)
        line_height = self.fontMetrics().height()
        self.resize(scaled(WIDTH, line_height), scaled(HEIGHT, line_height))
