"""Keeps the window filled around what is in view, and keeps the view where the person left it."""

from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QTextCursor

from .browser import TranscriptBrowser
from .window import Place, TranscriptWindow

BUDGET_S = 0.012
FILL_SCREENS = 1.5
KEEP_SCREENS = 2.0
TRIM_SCREENS = 3.0
SELECTED_SCREENS = 40.0
NEAR_PX = 8
TOP_PX = 24


class Scroller(QObject):
    """Owns the scroll position. While following, the newest line stays in view; any scrolling away ends that."""

    moved = Signal()

    def __init__(self, browser: TranscriptBrowser, window: TranscriptWindow) -> None:
        super().__init__(browser)
        self.is_following = True
        self._browser = browser
        self._window = window
        self._is_holding = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.fill)
        browser.verticalScrollBar().valueChanged.connect(self._scrolled)

    @property
    def screen_px(self) -> int:
        """The height of what is in view."""
        return max(200, self._browser.viewport().height())

    @property
    def above_px(self) -> int:
        """How much of the document lies above the view."""
        return self._browser.verticalScrollBar().value()

    @property
    def below_px(self) -> int:
        """How much of the document lies below the view."""
        bar = self._browser.verticalScrollBar()
        return bar.maximum() - bar.value()

    @contextmanager
    def holding(self) -> Generator[None]:
        """Whatever is changed inside, the text in view (or, while following, the end) stays in view."""
        if self._is_holding:
            yield
            return
        anchor = None if self.is_following else QTextCursor(self._browser.first_visible())
        before = 0.0 if anchor is None else self._top_of(anchor)
        self._is_holding = True
        try:
            yield
        finally:
            bar = self._browser.verticalScrollBar()
            if anchor is None:
                bar.setValue(bar.maximum())
            else:
                bar.setValue(bar.value() + round(self._top_of(anchor) - before))
            self._is_holding = False

    def fill(self) -> None:
        """Extend the window where it ends near the view, drop what is far away; bounded work, continued in a moment."""
        if not self._window.placed:
            return
        deadline = perf_counter() + BUDGET_S
        if self.is_following and not self._window.reaches_end:
            with self.holding():
                self._window.open_at_end()
        wanted = self.screen_px * FILL_SCREENS
        goes_on = True
        while goes_on and perf_counter() < deadline:
            goes_on = False
            if self.below_px < wanted and not self._window.reaches_end:
                with self.holding():
                    goes_on = self._window.extend_down()
            if self.above_px < wanted and not self._window.reaches_start:
                with self.holding():
                    goes_on = self._window.extend_up() or goes_on
        self._trim()
        behind = self._window.behind()
        if behind is not None:
            with self.holding():
                self._window.change(behind, self._window.messages[behind].go_on)
        if goes_on or behind is not None:
            self._timer.start(0)

    def follow(self) -> None:
        """Go to the newest line and stay there."""
        self.is_following = True
        if self._window.messages and not self._window.reaches_end:
            with self.holding():
                self._window.open_at_end()
        bar = self._browser.verticalScrollBar()
        bar.setValue(bar.maximum())
        self.fill()
        self.moved.emit()

    def go_to(self, place: Place) -> None:
        """Bring `place` to the top of the view."""
        self.is_following = False
        if self._window.index_of(place) is None:
            with self.holding():
                self._window.open_at(place)
        self.fill()
        index = self._window.index_of(place)
        if index is not None:
            self._show_at(self.top_of_index(index) - TOP_PX)

    def go_to_start(self) -> None:
        """Go to the chat's first line."""
        if self._window.messages:
            self.go_to(Place(0, 0))
            self._show_at(0)

    def rebuild(self) -> None:
        """Write the window anew (the look changed), with the same text at the top of the view."""
        if not self._window.placed or self.is_following:
            self._window.clear()
            if self._window.messages:
                self.follow()
            return
        top = self._browser.cursorForPosition(QPoint(self._browser.viewport().width() // 2, 0)).position()
        index = self._window.index_at(top)
        index = len(self._window.placed) - 1 if index is None else index
        place, inside = self._window.placed[index].place, top - self._window.start_of(index)
        self._window.clear()
        self.go_to(place)
        cursor = QTextCursor(self._browser.document())
        at = self._window.index_of(place)
        assert at is not None
        cursor.setPosition(min(self._window.start_of(at) + inside, self._window.start_of(at + 1) - 1))
        self._show_at(self._top_of(cursor))

    def resized(self) -> None:
        """The column was laid out anew: following goes on at the end."""
        if self.is_following:
            bar = self._browser.verticalScrollBar()
            bar.setValue(bar.maximum())
        self._timer.start(0)

    def show_cursor(self, cursor: QTextCursor) -> None:
        """Bring a place in the document into view, a third from the top, unless it is well in view already."""
        top = self._top_of(cursor)
        if not self.above_px + TOP_PX <= top <= self.above_px + self.screen_px - 3 * TOP_PX:
            self._show_at(top - self.screen_px / 3)

    def top_of_index(self, index: int) -> float:
        """Where a placed segment begins, in document pixels."""
        cursor = QTextCursor(self._browser.document())
        cursor.setPosition(self._window.start_of(index))
        return self._top_of(cursor)

    def _show_at(self, top: float) -> None:
        self.is_following = False
        self._browser.verticalScrollBar().setValue(max(0, round(top)))
        self.fill()
        self.moved.emit()

    def _top_of(self, cursor: QTextCursor) -> float:
        block = cursor.block()
        line = block.layout().lineForTextPosition(cursor.positionInBlock())
        inside = line.y() if line.isValid() else 0.0
        return self._browser.document().documentLayout().blockBoundingRect(block).top() + inside

    def _scrolled(self) -> None:
        if self._is_holding:
            return
        self.is_following = self._window.reaches_end and self.below_px <= NEAR_PX
        if min(self.above_px, self.below_px) < self.screen_px * FILL_SCREENS / 3:
            self.fill()
        else:
            self._timer.start(0)
        self.moved.emit()

    def _trim(self) -> None:
        """Drop what lies more than a few screens away; what is selected stays, up to a limit."""
        selection = self._browser.textCursor()
        limit = SELECTED_SCREENS if selection.hasSelection() else TRIM_SCREENS
        if self.above_px > limit * self.screen_px:
            index = self._index_at(self.above_px - KEEP_SCREENS * self.screen_px)
            with self.holding():
                self._window.drop(0, index)
        if self.below_px > limit * self.screen_px:
            index = self._index_at(self.above_px + (1 + KEEP_SCREENS) * self.screen_px)
            with self.holding():
                self._window.drop(index + 1, len(self._window.placed))

    def _index_at(self, y: float) -> int:
        layout = self._browser.document().documentLayout()
        position = layout.hitTest(QPointF(self._browser.viewport().width() / 2, y), Qt.HitTestAccuracy.FuzzyHit)
        index = self._window.index_at(max(0, position))
        return len(self._window.placed) - 1 if index is None else index
