"""A number by slider and by typing: its title, the exact box, the slider, and a note on what it means."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from quern.gui.theme import GRID
from quern.gui.theme.metrics import scaled
from quern.gui.widgets.label import text_label

from .slider import StopSlider

BOX_WIDTH = 12 * GRID


class CountBox(QSpinBox):
    """A whole number in steps: what is typed between two steps becomes the next one. Ignores stray wheels."""

    def __init__(self, step: int) -> None:
        super().__init__()
        self._step = step
        self.setSingleStep(step)
        self.setGroupSeparatorShown(True)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(0, 0, GRID - 2, 0)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def valueFromText(self, text: str) -> int:
        """Return what `text` says, moved up to a step."""
        return min(self.maximum(), -(-super().valueFromText(text) // self._step) * self._step)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page unless the control has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class NumberField(QWidget):
    """Owns box and slider; `changed` carries the number that a person chose."""

    changed = Signal(int)

    def __init__(self, title: str, sentence: str, step: int = 1, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = text_label(title)
        self.title.setToolTip(sentence)
        self.box = CountBox(step)
        self.slider = StopSlider()
        self.slider.setSingleStep(step)
        self.note = text_label(look="small", wraps=True)
        for control in (self.box, self.slider):
            control.setAccessibleName(title)
            control.setAccessibleDescription(sentence)
            control.setToolTip(sentence)
        self.title.setBuddy(self.box)
        self.box.valueChanged.connect(self._take)
        self.slider.valueChanged.connect(self._take)
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self.title, 1)
        head.addWidget(self.box)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addLayout(head)
        layout.addWidget(self.slider)
        layout.addWidget(self.note)
        self._fit()

    @property
    def value(self) -> int:
        """The number shown."""
        return self.box.value()

    def show_range(self, stops: Sequence[int]) -> None:
        """Let the number be one of `stops` by slider, and any step between their ends by typing."""
        with QSignalBlocker(self.box), QSignalBlocker(self.slider):
            self.box.setRange(stops[0], stops[-1])
            self.slider.show_stops(stops)

    def show_value(self, value: int) -> None:
        """Show `value`, which may lie beyond the slider's end; says nothing."""
        with QSignalBlocker(self.box), QSignalBlocker(self.slider):
            self.box.setMaximum(max(self.slider.stops[-1], value))
            self.box.setValue(value)
            self.slider.setValue(value)

    def say(self, note: str) -> None:
        """Explain the number shown."""
        self.note.setText(note)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self.box.setFixedWidth(scaled(BOX_WIDTH, self.fontMetrics().height()))

    def _take(self, value: int) -> None:
        self.show_value(value)
        self.changed.emit(value)
