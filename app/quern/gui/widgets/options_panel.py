"""The right panel of a chat: what the model is told first, how it chooses words, and what the last reply cost."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from quern.gui.theme import GRID
from quern.gui.theme.metrics import OPTIONS_PANEL_WIDTH, scaled
from quern.spec import SamplingParams

from .fact_grid import Fact, FactGrid
from .label import text_label
from .long_text_edit import LongTextEdit
from .sampling_form import SamplingForm
from .setting_editor import TYPING_DELAY_MS

SYSTEM_PROMPT_LINES = 5


class OptionsPanel(QScrollArea):
    """Owns the panel; `system_prompt_changed` and `sampling_changed` follow what a person does."""

    system_prompt_changed = Signal(str)
    sampling_changed = Signal(object)
    sampling_reset = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Options of this chat"))
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.system_prompt = LongTextEdit()
        self.system_prompt.setTabChangesFocus(True)
        self.system_prompt.setAccessibleName(self.tr("System prompt"))
        self.system_prompt.setPlaceholderText(self.tr("What the model is told before your first message"))
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_DELAY_MS)
        self._typing.timeout.connect(self.flush)
        self.system_prompt.textChanged.connect(self._typing.start)
        self.system_prompt.installEventFilter(self)
        self.sampling = SamplingForm()
        self.sampling.changed.connect(self.sampling_changed)
        self.sampling.reset.connect(self.sampling_reset)
        self.figures = FactGrid()
        self._no_figures = text_label(self.tr("No reply yet."), "muted")
        self._lay_out()
        self._fit()
        self.show_figures(())

    def show_system_prompt(self, text: str) -> None:
        """Show `text`; what a person is typing is left alone where it is the same."""
        self._typing.stop()
        if text != self.system_prompt.toPlainText():
            with QSignalBlocker(self.system_prompt):
                self.system_prompt.setPlainText(text)

    def show_sampling(self, params: SamplingParams, *, is_own: bool) -> None:
        """Show the parameters in use; `is_own` where this chat has its own."""
        self.sampling.show_params(params, is_own=is_own)

    def show_figures(self, facts: Sequence[Fact]) -> None:
        """Show what the last reply cost; empty where there was none."""
        self.figures.show_facts(facts)
        self.figures.setVisible(bool(facts))
        self._no_figures.setVisible(not facts)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A system prompt belongs to the chat in which it was typed: tell it before another one is shown."""
        if event.type() == QEvent.Type.FocusOut and self._typing.isActive():
            self.flush()
        return super().eventFilter(watched, event)

    def settle(self) -> None:
        """Tell at once what is still being typed: another chat is about to be shown."""
        if self._typing.isActive():
            self.flush()
        self.sampling.settle()

    def flush(self) -> None:
        """Tell a system prompt that is still being typed."""
        self._typing.stop()
        self.system_prompt_changed.emit(self.system_prompt.toPlainText())

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self.setFixedWidth(scaled(OPTIONS_PANEL_WIDTH, self.fontMetrics().height()))
        self.system_prompt.setFixedHeight(SYSTEM_PROMPT_LINES * self.fontMetrics().lineSpacing() + 2 * GRID)

    def _lay_out(self) -> None:
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(text_label(self.tr("System prompt"), "section"))
        layout.addWidget(self.system_prompt)
        layout.addSpacing(2 * GRID)
        layout.addWidget(text_label(self.tr("Sampling"), "section"))
        layout.addWidget(self.sampling)
        layout.addSpacing(2 * GRID)
        layout.addWidget(text_label(self.tr("Last reply"), "section"))
        layout.addWidget(self._no_figures)
        layout.addWidget(self.figures)
        layout.addStretch(1)
        self.setWidget(content)
