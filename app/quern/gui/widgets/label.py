"""Labels in the few looks that the style sheet knows, and the small marks beside them."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from quern.gui.theme import ICON, current_colors, icon_pixmap


def text_label(text: str = "", look: str = "", *, wraps: bool = False) -> QLabel:
    """Return a label of plain text (a model's or file's words are never markup) in `look`."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wraps)
    if QGuiApplication.layoutDirection() is Qt.LayoutDirection.RightToLeft:
        # A label aligns by its own text's direction; names and figures in Latin letters belong on the reading side too.
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)
    if look:
        label.setProperty("look", look)
    if wraps:
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    return label


def line(look: str = "line") -> QFrame:
    """Return a hairline: horizontal, or vertical with look "column-line"."""
    frame = QFrame()
    frame.setProperty("look", look)
    return frame


def relook(widget: QWidget, look: str) -> None:
    """Change the look of a widget that is already shown."""
    if widget.property("look") != look:
        widget.setProperty("look", look)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class ElidedLabel(QLabel):
    """A label of one line that ends in an ellipsis where it does not fit; the tool tip has the whole text."""

    def __init__(self, text: str = "", look: str = "") -> None:
        super().__init__()
        self._text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if look:
            self.setProperty("look", look)
        self.show_text(text)

    @property
    def whole_text(self) -> str:
        """The text before it was cut to fit."""
        return self._text

    def show_text(self, text: str) -> None:
        """Show `text`, cut at the right where the label is narrower."""
        self._text = text.replace("\n", " ")
        self.setAccessibleName(self._text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit what is shown into the new size."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette and the font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange, QEvent.Type.LayoutDirectionChange):
            self._fit()

    def _fit(self) -> None:
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_mirrored else Qt.AlignmentFlag.AlignLeft
        self.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)
        shown = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, max(0, self.width()))
        self.setText(shown)
        self.setToolTip(self._text if shown != self._text else "")


class Mark(QLabel):
    """A small icon that is not a button, tinted by the palette."""

    def __init__(self, icon_name: str, tint: str = "muted", size: int = ICON) -> None:
        super().__init__()
        self._icon_name = icon_name
        self._tint = tint
        self._size = size
        self.setFixedSize(QSize(size, size))
        self._draw()

    def show_icon(self, icon_name: str, tint: str) -> None:
        """Change the icon and its tint."""
        self._icon_name, self._tint = icon_name, tint
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette and the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        color = str(getattr(current_colors(), self._tint))
        self.setPixmap(icon_pixmap(self._icon_name, color, self._size))
