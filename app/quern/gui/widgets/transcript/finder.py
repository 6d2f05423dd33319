"""Finds text in all messages, in the window or not, without reading more of them than it must."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtGui import QTextCursor

from .browser import TranscriptBrowser
from .caption import Caption
from .message import Segment, TranscriptMessage
from .scroller import Scroller
from .shown import FindDirection
from .window import Place, TranscriptWindow

_LINK_TARGET = re.compile(r"\]\([^)\s]*\)")
_MARKS = {ord(mark): None for mark in "*_`~\\#>|[]()$ \t\r\n"}


@dataclass(frozen=True, slots=True)
class _Match:
    """The `ordinal`-th occurrence in one segment (from 0)."""

    place: Place
    ordinal: int


class Finder:
    """Owns the current match. Matching ignores case and stays inside a line."""

    def __init__(self, browser: TranscriptBrowser, window: TranscriptWindow, scroller: Scroller) -> None:
        self._browser = browser
        self._window = window
        self._scroller = scroller
        self._needle = ""
        self._match: _Match | None = None

    def forget(self) -> None:
        """The messages changed: the next search starts at what is in view."""
        self._match = None

    def find(self, text: str, direction: FindDirection) -> bool:
        """Select the next occurrence of `text` and bring it into view; False if there is none in the whole chat."""
        needle = text.lower()
        if not needle or not self._window.placed:
            return False
        if needle != self._needle:
            self._needle, self._match = needle, None
        match = self._next(needle, direction)
        if match is None:
            return False
        self._match = match
        self._show(match, text)
        return True

    def _next(self, needle: str, direction: FindDirection) -> _Match | None:
        is_forward = direction is FindDirection.FORWARD
        start = self._match or _Match(self._place_in_view(), -1 if is_forward else 0)
        step = 1 if is_forward else -1
        ordinal = start.ordinal + step
        if 0 <= ordinal < self._count(start.place, needle):
            return _Match(start.place, ordinal)
        for place in self._places(start.place, step, needle):
            count = self._count(place, needle)
            if count:
                return _Match(place, 0 if is_forward else count - 1)
        return None

    def _places(self, start: Place, step: int, needle: str) -> Iterator[Place]:
        """Every segment that may hold `needle`, from beside `start` once around and back to `start`."""
        messages = self._window.messages
        for offset in range(len(messages) + 1):
            number = (start.message + step * offset) % len(messages)
            message = messages[number]
            if not may_hold(message, needle):
                continue
            message.finish()
            self._unfold(number, needle)
            order = range(len(message.segments()))[::step]
            if offset == 0:
                order = [at for at in order if (at - start.segment) * step > 0]
            elif offset == len(messages):
                order = [at for at in order if (at - start.segment) * step <= 0]
            yield from (Place(number, at) for at in order)

    def _unfold(self, number: int, needle: str) -> None:
        """Reasoning that holds `needle` is unfolded, so that the match can be shown."""
        message = self._window.messages[number]
        if not message.is_unfolded and _squeezed(needle) in _squeezed(message.reasoning):
            with self._scroller.holding():
                self._window.change(number, message.toggle_fold)

    def _count(self, place: Place, needle: str) -> int:
        segments = self._window.messages[place.message].segments()
        if place.segment >= len(segments):
            return 0
        return _text_of(self._window.messages[place.message], segments[place.segment]).count(needle)

    def _place_in_view(self) -> Place:
        index = self._window.index_at(self._browser.first_visible().position())
        return self._window.placed[-1 if index is None else index].place

    def _show(self, match: _Match, text: str) -> None:
        index = self._window.index_of(match.place)
        if index is None:
            self._scroller.go_to(match.place)
            index = self._window.index_of(match.place)
        assert index is not None
        document = self._browser.document()
        cursor = QTextCursor(document)
        cursor.setPosition(self._window.start_of(index))
        for _ in range(match.ordinal + 1):
            found = document.find(text, cursor)
            if found.isNull() or found.selectionEnd() > self._window.start_of(index + 1):
                break
            cursor = found
        self._scroller.show_cursor(cursor)
        self._browser.setTextCursor(cursor)
        self._scroller.show_cursor(cursor)


def may_hold(message: TranscriptMessage, needle: str) -> bool:
    """Whether the source could show `needle`: a quick look that ignores Markdown's marks and white space."""
    squeezed = _squeezed(needle)
    return squeezed in _squeezed(message.content) or squeezed in _squeezed(message.reasoning)


def _squeezed(source: str) -> str:
    plain = _LINK_TARGET.sub("]", source) if "](" in source else source
    return plain.lower().translate(_MARKS)


def _text_of(message: TranscriptMessage, segment: Segment) -> str:
    if isinstance(segment, Caption):
        return ""
    return "\n".join(element.text for element in message.elements(segment)).lower()
