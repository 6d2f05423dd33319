"""How much of a prompt to compute at a time."""

TARGET_S = 0.5
FIRST_CHUNK_TOKENS = 128
MIN_CHUNK_TOKENS = 64


class Pace:
    """Owns the measured speed of prompt processing: chunks of about half a second, so that progress is seen.

    Chunks are powers of two of at least 64 tokens (smaller ones fall out of the fast kernels) and at most
    `max_tokens` (the batch).
    """

    def __init__(self, max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._chunk_tokens = FIRST_CHUNK_TOKENS

    @property
    def chunk_tokens(self) -> int:
        """Tokens to compute next."""
        return min(self._chunk_tokens, self._max_tokens)

    def measured(self, n_tokens: int, seconds: float) -> None:
        """Take in that `n_tokens` took `seconds`; short chunks say nothing."""
        if n_tokens < min(MIN_CHUNK_TOKENS, self._max_tokens) or seconds <= 0:
            return
        tokens_in_target = int(n_tokens / seconds * TARGET_S)
        self._chunk_tokens = max(MIN_CHUNK_TOKENS, 1 << max(0, tokens_in_target.bit_length() - 1))
