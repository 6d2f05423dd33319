"""Keys that do something: made in one way, each with its title, so that the list of shortcuts can be read off them."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

DEEP = Qt.FindChildOption.FindChildrenRecursively
Keys = QKeySequence | QKeySequence.StandardKey | str


def bind_keys(owner: QWidget, title: str, keys: Keys, act: Callable[[], object]) -> QShortcut:
    """Call `act` when `keys` are pressed in `owner`; in a window, anywhere in it. `title` says what it does."""
    shortcut = QShortcut(QKeySequence(keys), owner)
    if not owner.isWindow():
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    shortcut.setWhatsThis(title)
    shortcut.activated.connect(act)
    return shortcut


def shortcuts_in(widget: QWidget, how: Qt.FindChildOption = DEEP) -> tuple[tuple[str, str], ...]:
    """Return (title, keys) of every shortcut in `widget`, in the order in which they were made; one row per title."""
    keys_of: dict[str, list[str]] = {}
    for shortcut in widget.findChildren(QShortcut, options=how):
        if shortcut.whatsThis() and not shortcut.key().isEmpty():
            keys_of.setdefault(shortcut.whatsThis(), []).append(written(shortcut.key()))
    return tuple((title, ", ".join(keys)) for title, keys in keys_of.items())


def written(keys: Keys) -> str:
    """Return `keys` as the platform writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
