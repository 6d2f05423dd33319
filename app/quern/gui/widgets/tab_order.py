"""The order in which Tab reaches controls: the one in which they are seen, also for those that are built late."""

from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def takes_tab(widget: QWidget) -> bool:
    """Whether Tab stops at `widget` while it is shown."""
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None and widget.isEnabled()


def tab_stops(container: QWidget) -> list[QWidget]:
    """Return what Tab can reach in `container` (itself included), in the order in which it does."""
    stops: list[QWidget] = []
    widget = container
    while True:
        is_inside = widget is container or container.isAncestorOf(widget)
        if is_inside and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
            stops.append(widget)
        following = widget.nextInFocusChain()
        if following is None or following is container:
            return stops
        widget = following


def chain_tabs(*containers: QWidget) -> None:
    """Have Tab go through `containers`, one after the other, each in its own order."""
    stops = [stop for container in containers for stop in tab_stops(container)]
    for first, second in pairwise(stops):
        QWidget.setTabOrder(first, second)
