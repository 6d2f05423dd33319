"""The best settings by one click: for speed, for the longest context, or for several people at once."""

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from quern.fit import Goal, Wish
from quern.gui.theme import GRID
from quern.gui.widgets.label import text_label
from quern.gui.widgets.switch import Switch

from .number_field import CountBox

MOST_USERS = 64
FIRST_USERS = 4


class GoalRow(QWidget):
    """Owns the buttons; `wished` carries a Wish, `reset` asks for those that were shown first."""

    wished = Signal(object)
    reset = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons = {
            Goal.FASTEST: QPushButton(self.tr("Fastest")),
            Goal.LONGEST_CONTEXT: QPushButton(self.tr("Longest context")),
            Goal.USERS: QPushButton(self.tr("Several users")),
        }
        tips = {
            Goal.FASTEST: self.tr("As much of the model on the fastest device as fits, with a working context"),
            Goal.LONGEST_CONTEXT: self.tr("The longest context that fits, up to the trained one"),
            Goal.USERS: self.tr(
                "So many parallel requests, each with the context that one has now, or less where that does not fit"
            ),
        }
        for goal, button in self.buttons.items():
            button.setToolTip(tips[goal])
            button.setAccessibleDescription(tips[goal])
            button.clicked.connect(lambda _checked=False, goal=goal: self.wish(goal))
        self.users = CountBox(1)
        self.users.setRange(2, MOST_USERS)
        self.users.setValue(FIRST_USERS)
        self.users.setSuffix(self.tr(" users"))
        self.users.setAccessibleName(self.tr("Users at once"))
        self.note = text_label(look="small", wraps=True)
        self.note.hide()
        self.consent = Switch()
        self.consent.setAccessibleName(self.tr("The KV cache may be kept in fewer bits"))
        self.consent.setToolTip(self.tr("Allows the best settings to shrink what the model remembers, at a small loss"))
        self.reset_button = QPushButton(self.tr("Reset"))
        self.reset_button.setProperty("look", "plain")
        self.reset_button.setToolTip(self.tr("Back to how the model is loaded, or would be by itself"))
        self.reset_button.clicked.connect(self.reset)
        self._lay_out()

    def wish(self, goal: Goal) -> None:
        """Ask for the best settings for `goal`, as the row's own choices allow."""
        self.wished.emit(Wish(goal=goal, n_users=self.users.value(), allows_quantized_kv=self.consent.isChecked()))

    def say(self, note: str) -> None:
        """Tell what the settings are that were asked for, "" for nothing."""
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand side by side where the words have room."""
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font, once the style sheet has given every part its own."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            QTimer.singleShot(0, self, self._arrange)

    def _places(self) -> tuple[QWidget, ...]:
        return (*self.buttons.values(), self.users)

    def _arrange(self) -> None:
        widest = max(widget.sizeHint().width() for widget in self._places())
        n_columns = 2 if 2 * widest + GRID <= self.width() else 1
        for number, widget in enumerate(self._places()):
            self._grid.addWidget(widget, *divmod(number, n_columns))

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        head = QHBoxLayout()
        head.addWidget(text_label(self.tr("Best settings"), "section"), 1)
        head.addWidget(self.reset_button)
        layout.addLayout(head)
        self._grid = QGridLayout()
        self._grid.setSpacing(GRID)
        layout.addLayout(self._grid)
        layout.addWidget(self.note)
        for widget in self._places():
            widget.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._arrange()
        words = text_label(self.consent.accessibleName(), wraps=True)
        words.setBuddy(self.consent)
        consent = QHBoxLayout()
        consent.setSpacing(GRID)
        consent.addWidget(words, 1)
        consent.addWidget(self.consent)
        layout.addLayout(consent)
