"""Places what floats over the text: the strip of the current message, the copy button of the current code block,
and the way back to the newest line."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QApplication

from quern.gui.theme import Colors

from .browser import TranscriptBrowser
from .chunk import Voice
from .clip import clean_text
from .formats import CODE_BLOCK, CODE_PAD, GROUND, GROUND_PAD, PAD, Ground
from .scroller import Scroller
from .strip import FloatingButton, MessageStrip, actions_for
from .window import TranscriptWindow

EDGE_PX = 8
STRIP_RISE_PX = GROUND_PAD - 3
"""How far above the author's line the strip begins: both have one middle."""
BESIDE_PX = 6
CONFIRM_MS = 1_500


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A code block in view: the message's index, who speaks, its offset in the source (-1: inside a list or quote)."""

    message: int
    voice: Voice
    block: int


class Overlay(QObject):
    """Owns the floating controls. The current message is the hovered one, or the one chosen by Ctrl+Up, Ctrl+Down."""

    jump_asked = Signal()

    def __init__(self, browser: TranscriptBrowser, window: TranscriptWindow, scroller: Scroller) -> None:
        super().__init__(browser)
        self.message: int | None = None
        self.strip = MessageStrip(browser)
        self.copy = FloatingButton("copy", self.tr("Copy"), browser)
        self.jump = FloatingButton("chevron-down", self.tr("Jump to latest"), browser)
        self._browser = browser
        self._window = window
        self._scroller = scroller
        self._code_label: QTextCursor | None = None
        self._code_of: Callable[[CodePlace], str] = lambda _place: ""
        browser.hovered.connect(self.point_at)
        browser.left.connect(self._left)
        browser.code_step_asked.connect(self.step_code)
        browser.cursorPositionChanged.connect(self._follow_caret)
        browser.resized.connect(self.replace)
        scroller.moved.connect(self._moved)
        self.copy.clicked.connect(self.copy_code)
        self.copy.refitted.connect(self.replace)
        self.jump.refitted.connect(self.replace)
        self.jump.clicked.connect(self.jump_asked)

    def give_code(self, code_of: Callable[[CodePlace], str]) -> None:
        """Where the exact text of a code block comes from."""
        self._code_of = code_of

    def point_at(self, point: QPoint) -> None:
        """Show the controls of what lies at `point` (viewport coordinates)."""
        self._choose_at(self._browser.cursorForPosition(point))

    def choose(self, message: int | None) -> None:
        """Make `message` (its index) the current one."""
        self.message = message
        if message is not None:
            shown = self._window.messages[message].shown
            self.strip.offer(shown, actions_for(shown))
        self.replace()

    def step_code(self, step: int) -> None:
        """Make the next (1) or previous (-1) code block near the view the current one, and bring it into view."""
        block = self._code_label.block() if self._code_label is not None else self._browser.first_visible()
        block = block.next() if step > 0 else block.previous()
        while block.isValid() and not _ground(block) & Ground.CODE_TOP:
            block = block.next() if step > 0 else block.previous()
        if block.isValid():
            label = QTextCursor(block)
            self._scroller.show_cursor(label)
            self._choose_at(label)

    def forget(self) -> None:
        """Hide the controls: what they stood for is gone."""
        self.message = None
        self._code_label = None
        self.replace()

    def replace(self) -> None:
        """Put every control where it belongs now."""
        self._place_strip()
        self._place_copy()
        wanted = not self._scroller.is_following and bool(self._window.messages) and self._is_away
        if wanted:
            area = self._browser.viewport().geometry()
            self.jump.move(area.center().x() - self.jump.width() // 2, area.bottom() - self.jump.height() - 2 * EDGE_PX)
        self.jump.setVisible(wanted)

    def restyle(self, colors: Colors) -> None:
        """Draw the controls in `colors`."""
        self.strip.restyle(colors)
        self.copy.restyle(colors)
        self.jump.restyle(colors)
        self.replace()

    def copy_code(self) -> None:
        """Put the current code block on the clipboard, byte for byte, and say so for a moment."""
        if self._code_label is None:
            return
        QApplication.clipboard().setText(self._code(self._code_label))
        self.copy.say("check", self.tr("Copied"))
        QTimer.singleShot(CONFIRM_MS, self, lambda: self.copy.say("copy", self.tr("Copy")))
        self.replace()

    @property
    def _is_away(self) -> bool:
        return not self._window.reaches_end or self._scroller.below_px > self._scroller.screen_px // 4

    def _code(self, label: QTextCursor) -> str:
        index = self._window.index_at(label.position())
        block = label.block().blockFormat().intProperty(CODE_BLOCK)
        if index is not None and block >= 0:
            placed = self._window.placed[index]
            return self._code_of(CodePlace(placed.place.message, placed.segment.voice, block))
        last = label.block()
        while _ground(last.next()) & (Ground.CODE | Ground.CODE_TOP) == Ground.CODE:
            last = last.next()
        code = QTextCursor(label.block().next())
        code.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        return clean_text(code)

    def _choose_at(self, cursor: QTextCursor) -> None:
        """Make what `cursor` stands in the current message and code block."""
        index = self._window.index_at(cursor.position())
        self.choose(None if index is None else self._window.placed[index].place.message)
        self._choose_code(cursor.block())

    def _follow_caret(self) -> None:
        """Where the arrow keys move a caret, what it stands in is current."""
        if self._browser.has_caret:
            self._choose_at(self._browser.textCursor())

    def _choose_code(self, block: QTextBlock) -> None:
        self._code_label = None
        while block.isValid() and _ground(block) & Ground.CODE:
            if _ground(block) & Ground.CODE_TOP or not _ground(block.previous()) & Ground.CODE:
                self._code_label = QTextCursor(block)
                break
            block = block.previous()
        self._place_copy()

    def _place_strip(self) -> None:
        indices = range(0) if self.message is None else self._window.message_range(self.message)
        if not indices:
            self.strip.hide()
            return
        top = self._scroller.top_of_index(indices.start) - self._scroller.above_px
        end = self._scroller.top_of_index(indices.stop) - self._scroller.above_px
        self.strip.lie()
        if top - STRIP_RISE_PX >= 0:
            self._place_in_header(round(top) - STRIP_RISE_PX)
        else:
            self._place_beside()
        self.strip.setVisible(top < self._browser.viewport().height() and end > EDGE_PX)

    def _place_in_header(self, top: int) -> None:
        """In the row of the author's line, at its far end."""
        area = self._browser.viewport().geometry()
        right = area.right() - EDGE_PX - self.strip.width()
        self.strip.move(area.left() + EDGE_PX if self._is_right_to_left else right, area.top() + top)

    def _place_beside(self) -> None:
        """The author's line is out of view: standing beside the column, as far out of the text as there is room."""
        self.strip.stand()
        area = self._browser.viewport().geometry()
        bar = self._browser.verticalScrollBar()
        taken = bar.width() if bar.isVisible() else 0
        if self._is_right_to_left:
            left = max(taken + 2, area.left() + PAD - BESIDE_PX - self.strip.width())
        else:
            left = min(self._browser.width() - taken - 2 - self.strip.width(), area.right() - PAD + BESIDE_PX)
        self.strip.move(left, area.top() + EDGE_PX)

    def _place_copy(self) -> None:
        if self._code_label is None:
            self.copy.hide()
            return
        area = self._browser.viewport().geometry()
        block = self._code_label.block()
        label = self._browser.document().documentLayout().blockBoundingRect(block)
        top = area.top() + round(max(label.top() - CODE_PAD + 2 - self._scroller.above_px, EDGE_PX))
        self.copy.move(area.right() - PAD - 6 - self.copy.width(), top)
        strip = self.strip.geometry()
        if self.strip.isVisible() and strip.intersects(self.copy.geometry()):
            if self.strip.is_standing:
                self.copy.move(strip.left() - 4 - self.copy.width(), top)
            else:
                self.copy.move(self.copy.x(), strip.bottom() + 4)
        self.copy.setVisible(self.copy.y() < area.bottom())

    @property
    def _is_right_to_left(self) -> bool:
        return self._browser.isRightToLeft()

    def _left(self) -> None:
        """The pointer left the text, perhaps to one of the controls: those stay."""
        if not (self.strip.underMouse() or self.copy.underMouse() or self._has_focus()):
            self.forget()

    def _moved(self) -> None:
        """After scrolling, only what the keyboard holds stays."""
        if not self._has_focus() and self.message is not None:
            self.forget()
        else:
            self.replace()

    def _has_focus(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and (self.strip.isAncestorOf(focus) or focus is self.copy)


def _ground(block: QTextBlock) -> int:
    return block.blockFormat().intProperty(GROUND)
