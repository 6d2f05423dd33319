"""The Markdown reader: CommonMark with tables, strikethrough and math; HTML is text, and so is every unsafe link."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

MATH = "formula"
_SAFE_LINK = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)
_FORMULA = re.compile(
    r"\$\$(?P<display>[^$]+)\$\$"
    r"|\$(?P<inline>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?!\d)"
    r"|\\\((?P<round>.{1,2000}?)\\\)"
    r"|\\\[(?P<square>.{1,2000}?)\\\]",
    re.DOTALL,
)


def is_safe_link(address: str) -> bool:
    """Whether `address` may be offered for opening: http, https and mailto only."""
    return _SAFE_LINK.match(address) is not None


@lru_cache(maxsize=1)
def markdown() -> "MarkdownIt":
    """The one reader, made on first use (importing it takes a tenth of a second)."""
    from markdown_it import MarkdownIt

    class _SafeReader(MarkdownIt):
        def validateLink(self, url: str) -> bool:
            return is_safe_link(url)

    reader = _SafeReader("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    reader.disable("reference")
    reader.inline.ruler.before("escape", MATH, _read_formula)
    return reader


def _read_formula(state: "StateInline", silent: bool) -> bool:
    """markdown-it inline rule: `$a$`, `$$a$$`, `\\(a\\)` and `\\[a\\]` become one token each."""
    if state.src[state.pos] not in "$\\":
        return False
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        token = state.push(MATH, "", 0)
        token.content = next(part for part in found.groups() if part is not None)
    state.pos = found.end()
    return True
