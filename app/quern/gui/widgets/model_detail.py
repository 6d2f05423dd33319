"""What is known about one model, and what can be done with it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from quern.gui.theme import GRID
from quern.gui.theme.metrics import DETAIL_WIDTH, OPTIONS_PANEL_WIDTH, scaled

from .fact_grid import Fact, FactGrid
from .fit_panel import FitPanel
from .fold import Fold
from .label import text_label


class ModelDetail(QScrollArea):
    """Owns title, problem, buttons, the fit panel and facts; the page connects the buttons."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Details"))
        self._room = OPTIONS_PANEL_WIDTH
        self._fit()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.title = text_label(look="heading", wraps=True)
        self.problem = text_label(look="danger", wraps=True)
        self.load_button = QPushButton(self.tr("Load and chat"))
        self.load_button.setProperty("look", "primary")
        self.template_button = QPushButton(self.tr("Show chat template…"))
        self.reveal_button = QPushButton(self.tr("Show in folder"))
        self.remove_button = QPushButton(self.tr("Remove from the list"))
        self.remove_button.setToolTip(self.tr("The file itself stays where it is."))
        self.fit = FitPanel()
        self.fit_group = Fold(self.tr("Will it fit?"), self.fit)
        self.facts = FactGrid()
        self.facts_group = Fold(self.tr("About this model"), self.facts)
        self.content = QWidget()
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        for widget in (self.title, self.problem, self.load_button):
            layout.addWidget(widget)
        layout.addSpacing(GRID)
        layout.addWidget(self.fit_group)
        layout.addSpacing(GRID)
        layout.addWidget(self.facts_group)
        layout.addSpacing(GRID)
        for button in (self.template_button, self.reveal_button, self.remove_button):
            layout.addWidget(button)
        layout.addStretch(1)
        self.setWidget(self.content)

    def show_model(self, title: str, problem: str, facts: Sequence[Fact]) -> None:
        """Show one model."""
        # A long name without spaces may break after its hyphens and underscores.
        self.title.setText(title.replace("_", "_\u200b").replace("-", "-\u200b"))
        self.title.setAccessibleName(title)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.facts.show_facts(facts)

    def show_loaded(self, *, is_loaded: bool, is_changed: bool) -> None:
        """Say on the button whether the model is the loaded one, and whether it would be loaded otherwise now."""
        if is_loaded and is_changed:
            self.load_button.setText(self.tr("Load again with these settings"))
        else:
            self.load_button.setText(self.tr("Loaded: go to the chat") if is_loaded else self.tr("Load and chat"))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def give_room(self, width: int) -> None:
        """Let the panel be up to `width` wide, where large text wants that."""
        self._room = width
        self._fit()

    def _fit(self) -> None:
        wanted = scaled(DETAIL_WIDTH, self.fontMetrics().height())
        self.setFixedWidth(max(OPTIONS_PANEL_WIDTH, min(wanted, self._room)))
