"""Makes any text safe to stand in a QTextDocument, one character for one."""

import re

LINE_BREAK = "\u2028"
"""Breaks a line inside a block."""

_UNFIT = re.compile("[\x00\n\r\x0b\x0c\u2029\ufdd0\ufdd1\ufffc\ud800-\udfff]")
"""Characters that Qt would take for the end of a block, a frame's edge or an object, and halves of characters."""


def displayed(text: str) -> str:
    """`text` with what a document cannot hold replaced: line ends by spaces, the rest by U+FFFD."""
    return _UNFIT.sub(lambda found: " " if found[0] in "\n\r\x0b\x0c\u2029" else "\ufffd", text)
