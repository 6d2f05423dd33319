"""The read-only document widget: it paints grounds, copies clean text and never loads anything."""

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from .clip import clean_text
from .ground import GroundPainter
from .look import Look
from .pace import work_clock

COLUMN_PX = 792
UNKNOWN = QTextDocument.ResourceType.UnknownResource
_READING = Qt.TextInteractionFlag.TextBrowserInteraction


class TranscriptBrowser(QTextBrowser):
    """Owns how the document is shown and what leaves it."""

    hovered = Signal(QPoint)
    left = Signal()
    painted = Signal(float)
    start_asked = Signal()
    end_asked = Signal()
    step_asked = Signal(int)
    code_step_asked = Signal(int)
    all_selected = Signal()
    resized = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.restyle(look)
        self.everything: str | None = None
        self._ground = GroundPainter(self.document())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setTextInteractionFlags(_READING)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.viewport().setMouseTracking(True)

    def restyle(self, look: Look) -> None:
        """Paint in another look; a tab is as wide as four characters of code."""
        self.look = look
        self.setTabStopDistance(4 * QFontMetricsF(look.code_font).horizontalAdvance(" "))

    def first_visible(self) -> QTextBlock:
        """The topmost block in view."""
        return self.cursorForPosition(QPoint(self.viewport().width() // 2, 0)).block()

    def toggle_caret(self) -> None:
        """Let the arrow keys move a caret (for selecting by keyboard), or let them scroll again."""
        caret = Qt.TextInteractionFlag.TextSelectableByKeyboard
        self.setTextInteractionFlags(self.textInteractionFlags() ^ caret)

    def loadResource(self, type: int, name: QUrl | str, /) -> None:
        """Nothing that a text names is ever loaded, local or remote."""

    def doSetSource(self, name: QUrl | str, /, type: QTextDocument.ResourceType = UNKNOWN) -> None:
        """Links never change what the browser shows."""

    def createMimeDataFromSelection(self) -> QMimeData:
        """Plain, clean text; the whole chat after Select All."""
        data = QMimeData()
        data.setText(self.everything if self.everything is not None else clean_text(self.textCursor()))
        return data

    def selectAll(self) -> None:
        """Select what is in the document; copying then takes the whole chat."""
        super().selectAll()
        self.all_selected.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+Home, Ctrl+End: the ends. Ctrl+Up, Ctrl+Down: by message; with Shift: by code block. F7: caret."""
        shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        ctrl = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        match event.key():
            case Qt.Key.Key_Home if ctrl or not self.has_caret:
                self.start_asked.emit()
            case Qt.Key.Key_End if ctrl or not self.has_caret:
                self.end_asked.emit()
            case Qt.Key.Key_Up if ctrl:
                self.step_asked.emit(-1)
            case Qt.Key.Key_Down if ctrl:
                self.step_asked.emit(1)
            case Qt.Key.Key_Up | Qt.Key.Key_Down if event.modifiers() == shift:
                self.code_step_asked.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
            case Qt.Key.Key_A if ctrl:
                self.selectAll()
            case Qt.Key.Key_F7:
                self.toggle_caret()
            case _:
                super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show a hand over links, and tell where the pointer is."""
        super().mouseMoveEvent(event)
        position = event.position().toPoint()
        is_link = bool(self.anchorAt(position))
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.IBeamCursor)
        if event.buttons() == Qt.MouseButton.NoButton:
            self.hovered.emit(position)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click ends "everything is selected"."""
        self.everything = None
        super().mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """The pointer left."""
        super().leaveEvent(event)
        self.left.emit()

    def event(self, event: QEvent) -> bool:
        """The wheel also scrolls over the margins beside the column."""
        if event.type() == QEvent.Type.Wheel:
            return self.viewportEvent(event)
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the column centred and no wider than it reads well."""
        margin = max(0, (self.width() - COLUMN_PX) // 2)
        if self.viewportMargins().left() != margin:
            self.setViewportMargins(margin, 0, margin, 0)
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Grounds first, then the text; the cost is told, since it sets the pace of streaming."""
        started = work_clock()
        scrolled = self.verticalScrollBar().value()
        painter = QPainter(self.viewport())
        painter.setClipRect(event.rect())
        painter.translate(0, -scrolled)
        first = self.cursorForPosition(QPoint(self.viewport().width() // 2, event.rect().top())).block()
        band = QRectF(0, scrolled + event.rect().top(), self.viewport().width(), event.rect().height())
        self._ground.paint(painter, self.look, first, band)
        painter.end()
        super().paintEvent(event)
        self.painted.emit(work_clock() - started)

    @property
    def has_caret(self) -> bool:
        """Whether the arrow keys move a caret."""
        return bool(self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByKeyboard)
