"""The tokens of one decode call."""

import ctypes
from array import array
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from .binding import lib


class Batch:
    """Owns a llama_batch for up to `n_max` tokens of sequence 0, of which only the last one asks for logits.

    One output a batch is what a context with n_outputs_max = 1 allows: llama.cpp aborts the process on more.
    """

    def __init__(self, n_max: int) -> None:
        if n_max < 1:
            raise ValueError("a batch holds at least one token")
        self.n_max = n_max
        self._raw: lib.llama_batch | None = lib.llama_batch_init(n_max, 0, 1)
        for index in range(n_max):
            self._raw.n_seq_id[index] = 1
            self._raw.seq_id[index][0] = 0
            self._raw.logits[index] = 0
        self._last = 0

    @property
    def raw(self) -> lib.llama_batch:
        """The filled llama_batch; ValueError once closed."""
        if self._raw is None:
            raise ValueError("the batch is closed")
        return self._raw

    def fill(self, tokens: Sequence[int], first_position: int) -> None:
        """Put `tokens` at consecutive positions. ValueError for none, too many, or a negative position."""
        n_tokens = len(tokens)
        if not 1 <= n_tokens <= self.n_max or first_position < 0:
            raise ValueError(f"{n_tokens} tokens at {first_position} do not fit a batch of {self.n_max}")
        raw = self.raw
        raw.logits[self._last] = 0
        if n_tokens == 1:
            raw.token[0], raw.pos[0] = tokens[0], first_position
        else:
            ids, positions = array("i", tokens), array("i", range(first_position, first_position + n_tokens))
            ctypes.memmove(raw.token, ids.buffer_info()[0], 4 * n_tokens)
            ctypes.memmove(raw.pos, positions.buffer_info()[0], 4 * n_tokens)
        raw.n_tokens = n_tokens
        self._last = n_tokens - 1
        raw.logits[self._last] = 1

    def close(self) -> None:
        """Free the arrays; idempotent."""
        raw, self._raw = self._raw, None
        if raw is not None:
            lib.llama_batch_free(raw)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()
