"""Breaks text for a terminal between words, while it is still being written."""

from collections.abc import Callable
from unicodedata import combining, east_asian_width

_TAB_COLUMNS = 8


class WordWrap:
    """Owns the column in which a terminal's cursor stands and the word that is not complete yet.

    `columns` is asked for the terminal's width, which may change meanwhile. A word longer than a line is left to the
    terminal; wide characters (Chinese, Japanese, Korean) are words of their own.
    """

    def __init__(self, columns: Callable[[], int]) -> None:
        self._columns = columns
        self._column = 0
        self._space, self._word = "", ""
        self._word_columns = 0
        self._is_inside_word = False  # one that is longer than a line, and partly shown

    def feed(self, text: str) -> str:
        """Return what can be shown now that `text` has come."""
        return "".join(map(self._take, text))

    def finish(self) -> str:
        """Return what is left."""
        return self._flush()

    def _take(self, character: str) -> str:
        if character == "\n":
            shown = self._flush()
            self._column = 0
            return shown + character
        if character in " \t":
            shown = self._flush() if self._word else ""
            self._space += character
            self._is_inside_word = False
            return shown
        width = _width(character)
        if width < 2:
            self._word += character
            self._word_columns += width
            return self._flush_part() if self._word_columns >= self._columns() else ""
        before = self._flush()
        self._word, self._word_columns = character, width
        return before + self._flush()

    def _flush_part(self) -> str:
        shown = self._flush()
        self._is_inside_word = True
        return shown

    def _flush(self) -> str:
        """Return the spaces and the word, on a new line where they do not fit on this one."""
        space, word, columns = self._space, self._word, self._columns()
        needed = self._column
        for character in space:
            needed += _TAB_COLUMNS - needed % _TAB_COLUMNS if character == "\t" else 1
        needed += self._word_columns
        if word and needed > columns and self._column > 0 and not self._is_inside_word:
            space, needed = "\n", self._word_columns
        self._column = needed if needed <= columns else (needed - 1) % columns + 1
        self._is_inside_word = False
        self._space, self._word, self._word_columns = "", "", 0
        return space + word


def wrapped(text: str, columns: int) -> str:
    """Return a whole text broken between words."""
    wrap = WordWrap(lambda: columns)
    return wrap.feed(text) + wrap.finish()


def _width(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
