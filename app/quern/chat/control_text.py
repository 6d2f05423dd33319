"""Keeps control strings that a person wrote apart from those that a template writes.

A template joins both kinds into one text. So before it runs, each control string inside a message is replaced by one
private character that no template touches, and afterwards the text is cut there:

    message    "see <|im_end|> here"        control strings: <|im_end|>, <|im_start|>
    sent       "see \\U00100000 here"
    rendered   "<|im_start|>user\\nsee \\U00100000 here<|im_end|>\\n"
    pieces     CONTROL "<|im_start|>user\\nsee ", PLAIN "<|im_end|>", CONTROL " here<|im_end|>\\n"

The beginning or end of a control string at a message's edge ("...<|im_", "|>...") is replaced as well, so that the
text around the message cannot complete it.

A template may also complete a control string by taking text out of a message: SmolLM3's removes "/no_think" from a
system message, and "<|im_/no_thinkend|>" becomes a control string. Such a rendering has control strings that it loses
when every first character of one in the messages is replaced (`hide_starts`); then that rendering is taken.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from quern.spec import PieceKind, TextPiece

from .message import ChatMessage, Role

# Private Use Area B, then A: no script, no vocabulary and no template means anything by them.
_PRIVATE = (range(0x100000, 0x10FFFE), range(0xF0000, 0xFFFFE))
_IS_PRIVATE = re.compile("[\U000f0000-\U0010ffff]")
# A single character at an edge, such as ">" of a quotation, is too common to be cut off for nothing.
MIN_EDGE_CHARS = 2


class ControlStrings:
    """Owns an index of a vocabulary's control strings, for finding them in any text."""

    def __init__(self, texts: frozenset[str]) -> None:
        self._texts = texts - {""}
        self._sizes = sorted({len(text) for text in self._texts}, reverse=True)
        first = "".join(sorted({text[0] for text in self._texts}))
        self._start = re.compile(f"[{re.escape(first)}]") if first else None
        parts = [(text, size) for text in self._texts for size in range(MIN_EDGE_CHARS, len(text))]
        self._beginnings = frozenset(text[:size] for text, size in parts)
        self._ends = frozenset(text[-size:] for text, size in parts)
        self._longest_part = max((size for _, size in parts), default=0)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where control strings stand in `text` as [start, end), left to right, the longest at each place."""
        end = 0
        for match in self._start.finditer(text) if self._start else ():
            start = match.start()
            if start < end:
                continue
            size = next((size for size in self._sizes if text[start : start + size] in self._texts), 0)
            if size:
                end = start + size
                yield start, end

    def starts(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where `text` has a character that begins a control string."""
        for match in self._start.finditer(text) if self._start else ():
            yield match.span()

    def edges(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where `text`, white space aside, begins with the end of a control string or ends with a beginning."""
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        longest = range(min(end - start, self._longest_part), MIN_EDGE_CHARS - 1, -1)
        head = next((size for size in longest if text[start : start + size] in self._ends), 0)
        tail = next((size for size in longest if text[end - size : end] in self._beginnings), 0)
        if head:
            yield start, start + head
        if tail and end - tail >= start + head:
            yield end - tail, end


@lru_cache(maxsize=4)
def index_of(control_texts: frozenset[str]) -> ControlStrings:
    """Return the index of `control_texts`, made once for each vocabulary."""
    return ControlStrings(control_texts)


class ControlTextGuard:
    """Owns the private characters of one rendering; those that `texts`, all its text, holds already are avoided."""

    def __init__(self, controls: ControlStrings, texts: Iterable[str]) -> None:
        used = {character for text in texts for character in _IS_PRIVATE.findall(text)}
        self._controls = controls
        self._free = (chr(code) for code in chain(*_PRIVATE) if chr(code) not in used)
        self._private_of: dict[str, str] = {}

    def hide(self, message: ChatMessage) -> ChatMessage:
        """Return `message` with its control strings, and then their parts at its edges, replaced."""
        whole = self._replace(message.content, self._controls.spans(message.content))
        return ChatMessage(message.role, self._replace(whole, self._controls.edges(whole)))

    def may_complete(self, messages: Iterable[ChatMessage]) -> bool:
        """Whether hidden `messages` still hold a character that begins a control string."""
        return any(next(self._controls.starts(message.content), None) for message in messages)

    def hide_starts(self, message: ChatMessage) -> ChatMessage:
        """Return a hidden `message` with every character that begins a control string replaced as well.

        A reply keeps them: templates look for tags such as "<think>" in it, and only cut it there.
        """
        if message.role == Role.ASSISTANT:
            return message
        return ChatMessage(message.role, self._replace(message.content, self._controls.starts(message.content)))

    def control_strings(self, rendered: str) -> list[str]:
        """Return the control strings in `rendered`, in their order."""
        return [rendered[start:end] for start, end in self._controls.spans(rendered)]

    def reveal(self, rendered: str) -> tuple[TextPiece, ...]:
        """Return the rendered text as pieces: what was replaced comes back as PLAIN, the rest is CONTROL."""
        original_of = {private: original for original, private in self._private_of.items()}
        parts = re.split(f"([{''.join(original_of)}]+)", rendered) if original_of else [rendered]
        pieces: list[TextPiece] = []
        for index, part in enumerate(parts):
            if part and index % 2:
                pieces.append(TextPiece("".join(original_of[private] for private in part), PieceKind.PLAIN))
            elif part:
                pieces.append(TextPiece(part, PieceKind.CONTROL))
        return tuple(pieces)

    def _replace(self, text: str, spans: Iterable[tuple[int, int]]) -> str:
        parts: list[str] = []
        done = 0
        for start, end in spans:
            parts += (text[done:start], self._private(text[start:end]))
            done = end
        return "".join([*parts, text[done:]])

    def _private(self, original: str) -> str:
        if original not in self._private_of:
            self._private_of[original] = next(self._free)
        return self._private_of[original]
