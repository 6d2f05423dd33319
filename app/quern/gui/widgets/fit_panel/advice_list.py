"""What could be changed, each step with its gain and the button that takes it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from quern.fit import Advice, AdviceKind
from quern.gui.theme import GRID
from quern.gui.widgets.label import text_label
from quern.runtime import advice_sentence


class AdviceRow(QWidget):
    """Owns one step."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.advice: Advice | None = None
        self.words = text_label(wraps=True)
        self.button = QPushButton(self.tr("Apply"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self.words, 1)
        layout.addWidget(self.button)

    def show_advice(self, advice: Advice) -> None:
        """Show `advice`; a step that is none of settings has no button."""
        if advice == self.advice:
            return
        self.advice = advice
        sentence = advice_sentence(advice)
        self.words.setText(sentence)
        self.button.setVisible(advice.settings is not None)
        self.button.setAccessibleName(self.tr("Apply: {0}").format(sentence))


class AdviceList(QWidget):
    """Owns the rows, reused from answer to answer; `applied` carries the LoadSettings of a step."""

    applied = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[AdviceRow] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GRID)
        self.title = text_label(look="section")
        self._column.addWidget(self.title)
        self.hide()

    def show_advice(self, advice: Sequence[Advice]) -> None:
        """Show `advice`, nothing where there is none."""
        while len(self._rows) < len(advice):
            self._add_row()
        is_faster = bool(advice) and advice[0].kind is AdviceKind.MORE_GPU_LAYERS
        self.title.setText(self.tr("What would be faster") if is_faster else self.tr("What would help"))
        for index, row in enumerate(self._rows):
            row.setVisible(index < len(advice))
            if index < len(advice):
                row.show_advice(advice[index])
        self.setVisible(bool(advice))

    def rows(self) -> tuple[AdviceRow, ...]:
        """The rows that are shown."""
        return tuple(row for row in self._rows if not row.isHidden())

    def focus_first(self) -> None:
        """Bring the keyboard to the first step that is one of settings."""
        for row in self.rows():
            if not row.button.isHidden():
                row.button.setFocus(Qt.FocusReason.OtherFocusReason)
                return

    def apply_first(self) -> None:
        """Take the first step that is one of settings."""
        for row in self.rows():
            if row.advice is not None and row.advice.settings is not None:
                self.applied.emit(row.advice.settings)
                return

    def _add_row(self) -> None:
        row = AdviceRow()
        row.button.clicked.connect(lambda: self._apply(row))
        self._rows.append(row)
        self._column.addWidget(row)

    def _apply(self, row: AdviceRow) -> None:
        if row.advice is not None and row.advice.settings is not None:
            self.applied.emit(row.advice.settings)
