"""What a context remembers: the KV cells (or recurrent state) of sequence 0."""

from .binding import keeping_gil, lib

_seq_rm = keeping_gil(lib.llama_memory_seq_rm)
_seq_pos_max = keeping_gil(lib.llama_memory_seq_pos_max)
_seq_pos_min = keeping_gil(lib.llama_memory_seq_pos_min)

SEQUENCE = 0


class Memory:
    """Edits a llama_memory, which its context owns. Same thread as the context.

    `window_positions` is the length of the model's sliding window where layers that have one forget what has left it;
    0 where everything is remembered. What is remembered has no holes (llama-kv-cache.cpp, apply_ubatch):

        0 ... forgotten ... pos_min | remembered by all layers | n_positions
    """

    def __init__(self, handle: lib.llama_memory_t, window_positions: int = 0) -> None:
        self._handle = handle
        self._window_positions = window_positions

    @property
    def n_positions(self) -> int:
        """How many positions are remembered, from 0 on."""
        return _seq_pos_max(self._handle, SEQUENCE) + 1

    def cut(self, n_positions: int) -> bool:
        """Forget everything from position `n_positions` on; False, and nothing changed, where that cannot be.

        A recurrent memory has no earlier state. Where a sliding window has moved on, the position that would come next
        lacks a part of its window, which llama.cpp would not mind.
        """
        if n_positions <= 0:
            self.clear()
            return True
        if n_positions >= self.n_positions:
            return True
        return self.has_window_before(n_positions) and _seq_rm(self._handle, SEQUENCE, n_positions, -1)

    def has_window_before(self, n_positions: int) -> bool:
        """Whether everything is remembered that a token at position `n_positions` sees."""
        if not self._window_positions:
            return True
        return _seq_pos_min(self._handle, SEQUENCE) <= max(0, n_positions - self._window_positions)

    def clear(self) -> None:
        """Forget everything."""
        lib.llama_memory_clear(self._handle, False)
