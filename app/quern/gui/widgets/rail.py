"""The left rail: one button per page, one of them chosen."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QKeySequence
from PySide6.QtWidgets import QSizePolicy, QToolButton, QVBoxLayout, QWidget

from quern.gui.theme import GRID, current_colors, icon_pixmap
from quern.gui.theme.metrics import RAIL_WIDTH

RAIL_ICON = 24


@dataclass(frozen=True, slots=True)
class RailEntry:
    """One page: its icon, its name, and the keys that open it."""

    icon_name: str
    title: str
    keys: str


class Rail(QWidget):
    """Owns the page buttons; `chosen` carries the index of the page a person asked for."""

    chosen = Signal(int)

    def __init__(self, entries: tuple[RailEntry, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries = entries
        # No button group: that would leave Tab one of them only, and let the arrow keys turn pages.
        self._buttons = [self._button(entry, index) for index, entry in enumerate(entries)]
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(self.tr("Pages"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID // 2)
        for button in self._buttons:
            layout.addWidget(button)
        layout.addStretch(1)
        self._draw()
        self._fit()

    def choose(self, index: int) -> None:
        """Mark the page `index` as the one shown; says nothing."""
        for number, button in enumerate(self._buttons):
            button.setChecked(number == index)

    def button(self, index: int) -> QToolButton:
        """Return the button of page `index`."""
        return self._buttons[index]

    def _choose_by_hand(self, index: int) -> None:
        self.choose(index)
        self.chosen.emit(index)

    def _button(self, entry: RailEntry, index: int) -> QToolButton:
        button = QToolButton()
        button.setProperty("look", "rail")
        button.setText(entry.title)
        button.setAccessibleName(entry.title)
        keys = QKeySequence(entry.keys).toString(QKeySequence.SequenceFormat.NativeText)
        button.setToolTip(f"{entry.title} ({keys})")
        button.setCheckable(True)
        button.setIconSize(QSize(RAIL_ICON, RAIL_ICON))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self._choose_by_hand(index))
        return button

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette and the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()
        elif event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        """Never cut a title off: the chosen one is drawn bold, which is wider."""
        bold = QFont(self.font())
        bold.setBold(True)
        widest = max(QFontMetrics(bold).horizontalAdvance(entry.title) for entry in self._entries)
        self.setMinimumWidth(max(RAIL_WIDTH, widest + 4 * GRID))

    def _draw(self) -> None:
        colors = current_colors()
        for index, entry in enumerate(self._entries):
            drawn = QIcon(icon_pixmap(entry.icon_name, colors.muted, RAIL_ICON))
            drawn.addPixmap(icon_pixmap(entry.icon_name, colors.accent, RAIL_ICON), QIcon.Mode.Normal, QIcon.State.On)
            self._buttons[index].setIcon(drawn)
