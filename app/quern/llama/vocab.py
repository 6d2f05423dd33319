"""A model's vocabulary: text to token ids and back. Thread-safe; lives as long as its model."""

import ctypes

from .binding import keeping_gil, lib

MAX_TEXT_BYTES = 1 << 28
PIECE_BYTES = 256

_get_text = keeping_gil(lib.llama_vocab_get_text)
_get_attr = keeping_gil(lib.llama_vocab_get_attr)
_is_eog = keeping_gil(lib.llama_vocab_is_eog)
_token_to_piece = keeping_gil(lib.llama_token_to_piece)

_SPECIAL = lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_UNKNOWN


class Vocab:
    """Reads a llama_vocab, which its model owns. Ids are checked: llama.cpp aborts on one that is out of range."""

    def __init__(self, handle: lib.llama_vocab_p) -> None:
        self._handle = handle
        self.n_tokens = lib.llama_vocab_n_tokens(handle)

    @property
    def has_tokenizer(self) -> bool:
        """Whether text can be tokenized at all; where it cannot, every other call would abort the process."""
        return lib.llama_vocab_type(self._handle) != lib.LLAMA_VOCAB_TYPE_NONE and self.n_tokens > 0

    @property
    def bos(self) -> int | None:
        """Id of the beginning-of-sequence token, None where there is none (or the file names one that is not there)."""
        return self._known(lib.llama_vocab_bos(self._handle))

    @property
    def eos(self) -> int | None:
        """Id of the end-of-sequence token, None as for `bos`."""
        return self._known(lib.llama_vocab_eos(self._handle))

    @property
    def adds_bos(self) -> bool:
        """Whether the model expects prompts to start with BOS."""
        return lib.llama_vocab_get_add_bos(self._handle) and self.bos is not None

    def special_ids(self) -> list[int]:
        """Ids of CONTROL and UNKNOWN tokens: those that text becomes only where special tokens are parsed."""
        return [token for token in range(self.n_tokens) if _get_attr(self._handle, token) & _SPECIAL]

    def strips_left(self, token: int) -> bool:
        """Whether the token swallows the white space before it."""
        return bool(_get_attr(self._handle, self._checked(token)) & lib.LLAMA_TOKEN_ATTR_LSTRIP)

    def strips_right(self, token: int) -> bool:
        """Whether the token swallows the white space after it."""
        return bool(_get_attr(self._handle, self._checked(token)) & lib.LLAMA_TOKEN_ATTR_RSTRIP)

    def text(self, token: int) -> str:
        """The token as the vocabulary spells it (bytes that are no UTF-8 become U+FFFD)."""
        return _get_text(self._handle, self._checked(token)).decode("utf-8", "replace")

    def ends_generation(self, token: int) -> bool:
        """Whether the token ends a reply (EOS, EOT and the like)."""
        return _is_eog(self._handle, self._checked(token))

    def piece(self, token: int, *, shows_special: bool = False) -> bytes:
        """The token as output: bytes that may be part of a character. Control tokens are empty unless shown."""
        self._checked(token)
        size = PIECE_BYTES
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = _token_to_piece(self._handle, token, buffer, size, 0, shows_special)
            if length >= 0:
                return buffer.raw[:length]
            size = -length

    def tokenize(self, text: str) -> list[int]:
        """Ids of plain text: no control tokens, no BOS. Raises ValueError beyond MAX_TEXT_BYTES."""
        data = text.encode("utf-8", "replace")
        if not data:
            return []
        if len(data) > MAX_TEXT_BYTES:
            raise ValueError(f"a text of {len(data)} bytes is too long to tokenize")
        capacity = len(data) + 2
        while True:
            tokens = (ctypes.c_int32 * capacity)()
            count = lib.llama_tokenize(self._handle, data, len(data), tokens, capacity, False, False)
            if count >= 0:
                return tokens[:count]
            capacity = -count

    def _known(self, token: int) -> int | None:
        return token if 0 <= token < self.n_tokens else None

    def _checked(self, token: int) -> int:
        if not 0 <= token < self.n_tokens:
            raise ValueError(f"token {token} is not in the vocabulary of {self.n_tokens}")
        return token
