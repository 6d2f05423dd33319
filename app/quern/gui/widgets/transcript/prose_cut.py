"""Cuts running Markdown (paragraphs, lists, quotes, tables) at the places where a top-level block ends."""

import re
from dataclasses import dataclass, replace

from .chunk import SLICE_CHARACTERS, SLICE_LINES, Chunk, ChunkKind, Cut, Resume, SourceText, Voice
from .fence import Fence
from .formula import starts_display

PROSE_LINES = 60
TABLE_LINES = 30
LIST_LINES = 12
PROSE_CHARACTERS = 4_000
SMALL_PARAGRAPHS = 120

_LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_TABLE_RULE = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")


@dataclass(slots=True)
class _Progress:
    """What has been read of the chunk: `text_end` is where its text ends, before any blank lines."""

    offset: int
    text_end: int
    lines: int = 0
    is_list: bool = False
    is_plain: bool = False
    inner: Fence | None = None
    preface: str = ""

    @property
    def after_blank(self) -> bool:
        return self.text_end < self.offset

    def take(self, line: str, end: int) -> None:
        """Count a line of text, following fences that a list holds."""
        if self.lines == 0:
            self.is_list = _LIST_ITEM.match(line) is not None
            self.is_plain = line[:1].isalpha()
        if self.inner is not None:
            self.inner = None if self.inner.is_closed_by(line) else self.inner
        elif self.is_list:
            self.inner = Fence.opened_by(_without_marker(line))
        self.lines, self.offset, self.text_end = self.lines + 1, end, end


def cut_prose(source: SourceText, at: Resume, voice: Voice) -> Cut:
    """One chunk of running Markdown that starts at `at`."""
    chunk = Chunk(ChunkKind.PROSE, voice, at.offset, at.offset, preface=at.preface, joins=at.joins)
    state = _Progress(at.offset, at.offset, preface=at.preface)
    while state.offset < len(source.text):
        end = source.line_end(state.offset)
        line = source.line_to(state.offset, end)
        if source.is_blank(state.offset, end) and not (at.joins and state.lines == 0):
            state.offset = end
            continue
        if source.is_long(state.offset, end) or source.is_dense(state.offset, end):
            split = state.offset if state.lines else source.split_dense(state.offset, end)
            return Cut(
                replace(chunk, end=state.text_end if state.lines else split), Resume(split, joins=not state.lines)
            )
        if state.lines and _starts_anew(state, line, end - at.offset, is_whole=source.is_whole(end)):
            table = state.preface if not state.after_blank and "|" in line else ""
            return Cut(replace(chunk, end=state.text_end), Resume(state.offset, preface=table))
        state.take(line, end)
        if state.lines == 2 and not state.preface:
            state.preface = _table_heading(source, at.offset, line, end)
    return Cut(replace(chunk, end=state.text_end, is_settled=False), at)


def _starts_anew(state: _Progress, line: str, length: int, *, is_whole: bool) -> bool:
    """Whether `line` belongs to the next chunk; a few very short paragraphs in a row share one.

    What only a whole line can tell (a fence, a list marker) is not asked of one that may still grow.
    """
    if state.lines >= SLICE_LINES or length > SLICE_CHARACTERS:
        return True
    if state.inner is not None:
        return False
    indent = len(line) - len(line.lstrip(" \t"))
    if state.is_list and indent >= 2:
        return False
    if state.after_blank and indent < 4:
        return not (state.is_plain and line[:1].isalpha() and length < SMALL_PARAGRAPHS)
    if is_whole and (Fence.opened_by(line) is not None or starts_display(line)):
        return True
    if state.is_list and state.lines >= LIST_LINES:
        return is_whole and _LIST_ITEM.match(line) is not None
    return state.lines >= (TABLE_LINES if state.preface else PROSE_LINES) or length > PROSE_CHARACTERS


def _without_marker(line: str) -> str:
    """A list item's line as its content sees it: marker and indentation gone."""
    found = _LIST_ITEM.match(line)
    return (line[found.end() :] if found else line).lstrip(" \t")


def _table_heading(source: SourceText, start: int, line: str, end: int) -> str:
    """The first two lines if the second is a table's rule, to be repeated in front of what is cut off."""
    heading = source.line(start)
    if "|" in heading and "-" in line and _TABLE_RULE.match(line) and not source.is_long(start, end):
        return source.text[start:end]
    return ""
