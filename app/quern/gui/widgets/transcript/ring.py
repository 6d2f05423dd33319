"""The ring round the transcript that shows where the keyboard is."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QWidget

from quern.gui.theme import colors_of

RING_PX = 2
RADIUS = 8.0
_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
_RETURN = (
    Qt.FocusReason.ActiveWindowFocusReason,
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
)


class FocusRing(QWidget):
    """Owns a ring over the edge of `watched`, seen while that has the focus and got it by the keyboard."""

    def __init__(self, watched: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._watched = watched
        self._by_keyboard = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        watched.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the focus and the size of what is watched."""
        if isinstance(event, QFocusEvent):
            if event.gotFocus() and event.reason() not in _RETURN:
                self._by_keyboard = event.reason() in _KEYBOARD
            self.setVisible(event.gotFocus() and self._by_keyboard)
            self.raise_()
        elif event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ring in the accent colour."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colors_of(self._watched.palette()).accent), RING_PX))
        half = RING_PX / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(half, half, -half, -half), RADIUS, RADIUS)

    def _fit(self) -> None:
        self.setGeometry(self._watched.geometry())
        inner = self.rect().adjusted(*(RING_PX * 2,) * 2, *(-RING_PX * 2,) * 2)
        self.setMask(QRegion(self.rect()) - QRegion(inner))
