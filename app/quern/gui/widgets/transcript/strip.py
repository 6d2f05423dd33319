"""The small tool strip that floats over a message, and the copy button over a code block."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QToolButton, QWidget

from quern.gui.theme import Colors, current_colors, icon

from .shown import ShownMessage, ShownState

BUTTON_PX = 28
ICON_PX = 16


class MessageAction(Enum):
    """What can be done with a message."""

    PREVIOUS = auto()
    NEXT = auto()
    COPY = auto()
    EDIT = auto()
    REGENERATE = auto()
    DELETE = auto()


@dataclass(frozen=True, slots=True)
class _Face:
    icon: str
    label: str


def actions_for(shown: ShownMessage) -> tuple[MessageAction, ...]:
    """What `shown` offers; a message that is still being written can only be copied."""
    if shown.state is ShownState.STREAMING:
        return (MessageAction.COPY,)
    own = {"user": (MessageAction.EDIT,), "assistant": (MessageAction.REGENERATE,)}.get(shown.role, ())
    siblings = (MessageAction.PREVIOUS, MessageAction.NEXT) if shown.sibling_count > 1 else ()
    return (*siblings, MessageAction.COPY, *own, MessageAction.DELETE)


class MessageStrip(QFrame):
    """Owns one button per action, in reading order; it takes the keyboard focus by Tab."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("messageStrip")
        self.setAccessibleName(self.tr("Message actions"))
        self._row = row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(0)
        self._buttons = {action: self._button(action) for action in MessageAction}
        for button in self._buttons.values():
            row.addWidget(button)
        self.hide()

    def button(self, action: MessageAction) -> QToolButton:
        """The button of one action."""
        return self._buttons[action]

    def offer(self, shown: ShownMessage, actions: Sequence[MessageAction]) -> None:
        """Show exactly `actions`; the step buttons are disabled at the ends."""
        for action, button in self._buttons.items():
            button.setVisible(action in actions)
        self._buttons[MessageAction.PREVIOUS].setEnabled(shown.sibling_index > 0)
        self._buttons[MessageAction.NEXT].setEnabled(shown.sibling_index + 1 < shown.sibling_count)
        self.adjustSize()

    @property
    def is_standing(self) -> bool:
        """Whether the buttons are one below the other."""
        return self._row.direction() == QBoxLayout.Direction.TopToBottom

    def lie(self) -> None:
        """Set the buttons side by side."""
        self._turn(QBoxLayout.Direction.LeftToRight)

    def stand(self) -> None:
        """Set the buttons one below the other."""
        self._turn(QBoxLayout.Direction.TopToBottom)

    def _turn(self, direction: QBoxLayout.Direction) -> None:
        if self._row.direction() != direction:
            self._row.setDirection(direction)
            self.adjustSize()

    def restyle(self, colors: Colors) -> None:
        """Draw in `colors`."""
        restyle_floating(self, colors)
        for action, button in self._buttons.items():
            button.setIcon(icon(self._faces()[action].icon, colors.muted, disabled=colors.hairline, size=ICON_PX))

    def _faces(self) -> dict[MessageAction, _Face]:
        return {
            MessageAction.PREVIOUS: _Face("chevron-left", self.tr("Previous answer")),
            MessageAction.NEXT: _Face("chevron-right", self.tr("Next answer")),
            MessageAction.COPY: _Face("copy", self.tr("Copy message")),
            MessageAction.EDIT: _Face("rename", self.tr("Edit message")),
            MessageAction.REGENERATE: _Face("refresh", self.tr("Answer again")),
            MessageAction.DELETE: _Face("trash", self.tr("Delete message")),
        }

    def _button(self, action: MessageAction) -> QToolButton:
        button = QToolButton(self)
        label = self._faces()[action].label
        button.setAccessibleName(label)
        button.setToolTip(label)
        button.setAutoRaise(True)
        button.setFixedSize(BUTTON_PX, BUTTON_PX)
        button.setIconSize(QSize(ICON_PX, ICON_PX))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.chosen.emit(action))
        return button


class FloatingButton(QToolButton):
    """A button with an icon and words that floats over the text; as wide as its words, whatever the font."""

    refitted = Signal()

    def __init__(self, name: str, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("floatingButton")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setIconSize(QSize(ICON_PX, ICON_PX))
        self._icon = name
        self._colors = current_colors()
        self.say(name, words)
        self.hide()

    def say(self, name: str, words: str) -> None:
        """Show another icon and other words."""
        self._icon = name
        self.setText(words)
        self.setAccessibleName(words)
        self.restyle(self._colors)
        self.adjustSize()

    def restyle(self, colors: Colors) -> None:
        """Draw in `colors`."""
        self._colors = colors
        restyle_floating(self, colors)
        self.setIcon(icon(self._icon, colors.muted, size=ICON_PX))

    def changeEvent(self, event: QEvent) -> None:
        """Fit the words in a new font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.adjustSize()
            self.refitted.emit()


def restyle_floating(widget: QWidget, colors: Colors) -> None:
    """Raised ground, an edge (clear where it lies over text), round corners; buttons show hovering and focus.

    The colours are given: a widget that has a style sheet of its own keeps the palette that this one made.
    """
    is_strip = isinstance(widget, QFrame)
    kind = "QFrame#messageStrip" if is_strip else "QToolButton#floatingButton"
    edge = colors.hairline if is_strip else colors.outline
    widget.setStyleSheet(
        f"{kind} {{ background: {colors.raised}; border: 1px solid {edge}; border-radius: 8px; }}"
        f"QToolButton {{ border: 1px solid transparent; border-radius: 6px; padding: 3px 8px; color: {colors.text}; }}"
        f"QFrame#messageStrip QToolButton {{ padding: 0; }}"
        f"QToolButton:hover {{ background: {colors.sunken}; }}"
        f"QToolButton:focus {{ border-color: {colors.accent}; }}"
    )
