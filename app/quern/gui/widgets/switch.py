"""A check box drawn as a switch: off at one end, on at the other."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox

from quern.gui.theme import current_colors

TRACK = QSize(36, 20)
GAP = 3


class Switch(QCheckBox):
    """Owns nothing but its look; to a screen reader it is a check box."""

    def sizeHint(self) -> QSize:
        """The size that its content needs."""
        return TRACK + QSize(2, 2)

    def hitButton(self, pos: QPoint) -> bool:
        """The whole control can be clicked."""
        return self.rect().contains(pos)

    def paintEvent(self, _event: QPaintEvent) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Draw."""
        colors = current_colors()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRect(QPoint(1, (self.height() - TRACK.height()) // 2), TRACK)
        is_on, radius = self.isChecked(), TRACK.height() / 2
        accent = colors.accent if self.isEnabled() else colors.outline
        painter.setBrush(QColor(accent if is_on else colors.sunken))
        painter.setPen(QColor(colors.text if self.hasFocus() else accent if is_on else colors.outline))
        painter.drawRoundedRect(track.adjusted(0, 0, -1, -1), radius, radius)
        knob = TRACK.height() - 2 * GAP - 1
        is_right = is_on is (self.layoutDirection() is Qt.LayoutDirection.LeftToRight)
        x = track.right() - GAP - knob if is_right else track.left() + GAP
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.on_accent if is_on else colors.outline))
        painter.drawEllipse(x, track.top() + GAP, knob, knob)
