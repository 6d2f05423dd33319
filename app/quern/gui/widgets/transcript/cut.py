"""Cuts a source into bounded top-level pieces, so that no piece is ever large and finished ones stay finished.

    source   | Some text ...\\n\\n | ```py\\n a \\n b \\n ``` | | a | b |\\n|--|--|\\n| 1 | 2 | ...
    chunks   [PROSE............]  [CODE 200 lines][CODE..]  [PROSE (table, 30 rows)][PROSE, preface = heading ...

The cut follows CommonMark's top-level blocks (blank lines, fences) without reading inline text, so a megabyte takes
milliseconds; a chunk is parsed only when it is about to be shown. A chunk is settled when no further text can
change it.
"""

from dataclasses import replace

from .chunk import (
    CODE_LINE_CHARACTERS,
    SLICE_CHARACTERS,
    SLICE_LINES,
    Chunk,
    ChunkKind,
    Cut,
    Resume,
    SourceText,
    Voice,
)
from .fence import Fence
from .formula import ends_display, starts_display
from .prose_cut import PROSE_LINES, cut_prose


def cut(source: SourceText, at: Resume, voice: Voice) -> Cut | None:
    """Cut the next chunk off; None where nothing (but an unfinished blank line) is left."""
    if at.offset >= len(source.text):
        return None
    if at.fence is not None:
        return _cut_code(source, at, at.fence, voice)
    if at.joins:
        return (_cut_verbatim if voice is Voice.USER else cut_prose)(source, at, voice)
    line, end = source.line(at.offset), source.line_end(at.offset)
    if source.is_blank(at.offset, end):
        return Cut(None, replace(at, offset=end)) if source.is_whole(end) else None
    if (fence := Fence.opened_by(line)) is not None:
        return _open_code(source, at, fence, voice)
    if voice is Voice.USER:
        return _cut_verbatim(source, at, voice)
    if starts_display(line):
        return _cut_formula(source, at, voice)
    return cut_prose(source, at, voice)


def _open_code(source: SourceText, at: Resume, fence: Fence, voice: Voice) -> Cut:
    end = source.line_end(at.offset)
    if source.is_whole(end) and end < len(source.text):
        return _cut_code(source, Resume(end, fence, block=end), fence, voice)
    empty = Chunk(ChunkKind.CODE, voice, end, end, language=fence.language, block=end, is_settled=False)
    return Cut(empty, at)


def _cut_code(source: SourceText, at: Resume, fence: Fence, voice: Voice) -> Cut:
    """One slice of a code block: up to its closing fence, 200 lines, or a piece of a very long line."""
    offset, lines = at.offset, 0
    chunk = Chunk(
        ChunkKind.CODE, voice, offset, offset, joins=at.joins, language=fence.language, block=at.block, is_last=False
    )
    while offset < len(source.text):
        end = source.line_end(offset)
        if not (at.joins and lines == 0) and fence.is_closed_by(source.line(offset)):
            return Cut(replace(chunk, end=offset, is_last=True, is_settled=source.is_whole(end)), Resume(end))
        if lines >= SLICE_LINES or (lines and end - at.offset > SLICE_CHARACTERS):
            return Cut(replace(chunk, end=offset), Resume(offset, fence, at.block))
        if source.is_long(offset, end, CODE_LINE_CHARACTERS):
            split = offset if lines else source.split(offset, CODE_LINE_CHARACTERS)
            return Cut(replace(chunk, end=split), Resume(split, fence, at.block, joins=not lines))
        lines, offset = lines + 1, end
    return Cut(replace(chunk, end=offset, is_last=True, is_settled=False), at)


def _cut_formula(source: SourceText, at: Resume, voice: Voice) -> Cut:
    offset = source.line_end(at.offset)
    chunk = Chunk(ChunkKind.FORMULA, voice, at.offset, offset)
    for _ in range(PROSE_LINES):
        if offset >= len(source.text):
            return Cut(replace(chunk, end=offset, is_settled=False), at)
        line, offset = source.line(offset), source.line_end(offset)
        if ends_display(line):
            break
    return Cut(replace(chunk, end=offset, is_settled=source.is_whole(offset)), Resume(offset))


def _cut_verbatim(source: SourceText, at: Resume, voice: Voice) -> Cut:
    offset = at.offset
    chunk = Chunk(ChunkKind.VERBATIM, voice, offset, offset, joins=at.joins)
    for lines in range(PROSE_LINES):
        if offset >= len(source.text):
            return Cut(replace(chunk, end=offset, is_settled=False), at)
        end = source.line_end(offset)
        if lines and source.is_whole(end) and Fence.opened_by(source.line(offset)) is not None:
            break
        if source.is_long(offset, end):
            split = offset if lines else source.split(offset)
            return Cut(replace(chunk, end=split), Resume(split, joins=not lines))
        offset = end
    return Cut(replace(chunk, end=offset), Resume(offset))
