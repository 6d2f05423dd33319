"""What a context remembers: the KV cells (or recurrent state) of sequence 0."""

from .binding import keeping_gil, lib

_seq_rm = keeping_gil(lib.llama_memory_seq_rm)
_seq_pos_max = keeping_gil(lib.llama_memory_seq_pos_max)

SEQUENCE = 0


class Memory:
    """Edits a llama_memory, which its context owns. Same thread as the context."""

    def __init__(self, handle: lib.llama_memory_t) -> None:
        self._handle = handle

    @property
    def n_positions(self) -> int:
        """How many positions are remembered, from 0 on."""
        return _seq_pos_max(self._handle, SEQUENCE) + 1

    def cut(self, n_positions: int) -> bool:
        """Forget everything from position `n_positions` on; False where the memory cannot be cut there (recurrent)."""
        if n_positions <= 0:
            self.clear()
            return True
        return n_positions >= self.n_positions or _seq_rm(self._handle, SEQUENCE, n_positions, -1)

    def clear(self) -> None:
        """Forget everything."""
        lib.llama_memory_clear(self._handle, False)
