"""Prompt pieces to token ids: control tokens only where a template wrote them, BOS once."""

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from quern.spec import PieceKind, TextPiece


class Vocabulary(Protocol):
    """What the tokenizer needs of a model's vocabulary (`quern.llama.Vocab`)."""

    @property
    def bos(self) -> int | None:
        """Id of BOS, if there is one."""
        ...

    @property
    def adds_bos(self) -> bool:
        """Whether prompts start with BOS."""
        ...

    def special_ids(self) -> list[int]:
        """Ids of CONTROL and UNKNOWN tokens."""
        ...

    def text(self, token: int) -> str:
        """The token's text."""
        ...

    def strips_left(self, token: int) -> bool:
        """Whether the token swallows white space before it."""
        ...

    def strips_right(self, token: int) -> bool:
        """Whether the token swallows white space after it."""
        ...

    def tokenize(self, text: str) -> list[int]:
        """Ids of plain text, no control tokens among them."""
        ...


class Tokenizer:
    """Owns the map of special token texts of one vocabulary. Thread-safe.

    Text between two special tokens is tokenized in one go, across pieces, as llama.cpp tokenizes a whole prompt
    (llama-vocab.cpp, tokenizer_st_partition): a merge over a piece's edge happens as the model was trained to see it,
    and a vocabulary that adds a space prefix adds it once.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        texts = ((vocabulary.text(token), token) for token in vocabulary.special_ids())
        self._special = {text: token for text, token in texts if text}
        # Longest first: where two special tokens could start, llama.cpp takes the longer one.
        ordered = sorted(self._special, key=len, reverse=True)
        self._pattern = re.compile("|".join(re.escape(text) for text in ordered)) if ordered else None

    @property
    def control_texts(self) -> frozenset[str]:
        """Texts that only a template may turn into their tokens."""
        return frozenset(self._special)

    def tokenize(self, pieces: Sequence[TextPiece]) -> list[int]:
        """Return the ids of the joined pieces; BOS first, once, where the model wants one."""
        tokens: list[int] = []
        text, strips_left_edge = "", False
        for part in self._parts(pieces):
            if isinstance(part, str):
                text += part
                continue
            tokens += self._plain(text, strips_left_edge=strips_left_edge, before=part)
            tokens.append(part)
            text, strips_left_edge = "", self._vocabulary.strips_right(part)
        tokens += self._plain(text, strips_left_edge=strips_left_edge, before=None)
        return self._with_bos(tokens)

    def _parts(self, pieces: Sequence[TextPiece]) -> Iterator[str | int]:
        """Yield runs of plain text and ids of special tokens, in order."""
        for piece in pieces:
            if piece.kind is PieceKind.PLAIN or self._pattern is None:
                yield piece.text
                continue
            done = 0
            for match in self._pattern.finditer(piece.text):
                yield piece.text[done : match.start()]
                yield self._special[match.group()]
                done = match.end()
            yield piece.text[done:]

    def _plain(self, text: str, *, strips_left_edge: bool, before: int | None) -> list[int]:
        if strips_left_edge:
            text = text.lstrip()
        if before is not None and self._vocabulary.strips_left(before):
            text = text.rstrip()
        return self._vocabulary.tokenize(text) if text else []

    def _with_bos(self, tokens: list[int]) -> list[int]:
        bos = self._vocabulary.bos
        if bos is None or not self._vocabulary.adds_bos or tokens[:1] == [bos]:
            return tokens
        return [bos, *tokens]
