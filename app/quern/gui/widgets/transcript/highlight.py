"""Pygments' tokens as a few kinds of coloured spans."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

MOST_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class ColoredSpan:
    """Characters `start` to `start + length` of one line, of one kind ("keyword", "string", ...)."""

    row: int
    start: int
    length: int
    kind: str


@lru_cache(maxsize=128)
def highlight(code: str, language: str) -> tuple[ColoredSpan, ...]:
    """The coloured spans of `code`; none where Pygments does not know `language` or the code is very large."""
    if not language or len(code) > MOST_CHARACTERS:
        return ()
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = find_lexer_class_by_name(language)(stripnl=False, ensurenl=False)
    except ClassNotFound:
        return ()
    return tuple(_spans((str(kind), text) for kind, text in lexer.get_tokens(code)))


def _spans(tokens: Iterator[tuple[str, str]]) -> Iterator[ColoredSpan]:
    row, column = 0, 0
    for name, text in tokens:
        kind = _kind(name)
        for index, part in enumerate(text.split("\n")):
            if index:
                row, column = row + 1, 0
            if part and kind:
                yield ColoredSpan(row, column, len(part), kind)
            column += len(part)


def _kind(token: str) -> str:
    """The kind that a token name ("Token.Name.Function") is shown as; empty: plain text."""
    match token.split(".")[1:3]:
        case ["Keyword", *_] | ["Operator", "Word"]:
            return "keyword"
        case ["Name", "Function" | "Class" | "Decorator" | "Builtin" | "Tag" | "Attribute" | "Exception"]:
            return "name"
        case ["Literal", "String"]:
            return "string"
        case ["Literal", "Number"]:
            return "number"
        case ["Comment", *_]:
            return "comment"
        case _:
            return ""
