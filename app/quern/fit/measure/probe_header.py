"""Headers of models that do not exist: a vocabulary of so many tokens, and the smallest model there can be."""

import struct
from collections.abc import Sequence

_UINT32, _INT32, _FLOAT32, _STRING, _ARRAY = 4, 5, 6, 8, 9  # gguf_metadata_value_type (GGUF specification)
_VERSION = 3
_NORMAL = 1  # llama_token_type
_MODEL = {
    "llama.context_length": 512,
    "llama.embedding_length": 64,
    "llama.block_count": 2,
    "llama.feed_forward_length": 128,
    "llama.attention.head_count": 2,
}

NO_VOCABULARY, PLAIN, WITH_MERGES = "no_vocab", "llama", "gpt2"
"""Names of tokenizers: none, one that goes by scores, and one that goes by a table of merges."""


def probe_header(tokenizer: str, n_tokens: int) -> bytes:
    """Return a GGUF file without tensors."""
    pairs = [
        _pair("general.architecture", _STRING, _string("llama")),
        *(_pair(key, _UINT32, struct.pack("<I", value)) for key, value in _MODEL.items()),
        _pair("llama.attention.layer_norm_rms_epsilon", _FLOAT32, struct.pack("<f", 1e-5)),
        _pair("tokenizer.ggml.model", _STRING, _string(tokenizer)),
        *_vocabulary(tokenizer, n_tokens),
    ]
    return b"GGUF" + struct.pack("<IQQ", _VERSION, 0, len(pairs)) + b"".join(pairs)


def _vocabulary(tokenizer: str, n_tokens: int) -> list[bytes]:
    if tokenizer == NO_VOCABULARY:
        return [_pair("llama.vocab_size", _UINT32, struct.pack("<I", n_tokens))]
    # One of eight is too long to lie inside a std::string, about as in the vocabularies of SmolLM2 and Gemma 3.
    words = [f"word{number:x}" + "-and-a-longer-one" * (number % 8 == 0) for number in range(n_tokens)]
    pairs = [
        _strings("tokenizer.ggml.tokens", words),
        _numbers("tokenizer.ggml.token_type", _INT32, struct.pack("<i", _NORMAL), n_tokens),
    ]
    if tokenizer == WITH_MERGES:
        merges = [f"w{number:x} ord" for number in range(n_tokens)]
        return [
            *pairs,
            _strings("tokenizer.ggml.merges", merges),
            _pair("tokenizer.ggml.pre", _STRING, _string("gpt-2")),
        ]
    return [*pairs, _numbers("tokenizer.ggml.scores", _FLOAT32, struct.pack("<f", 0), n_tokens)]


def _pair(key: str, type_number: int, value: bytes) -> bytes:
    return _string(key) + struct.pack("<I", type_number) + value


def _strings(key: str, texts: Sequence[str]) -> bytes:
    return _pair(key, _ARRAY, struct.pack("<IQ", _STRING, len(texts)) + b"".join(map(_string, texts)))


def _numbers(key: str, type_number: int, value: bytes, count: int) -> bytes:
    return _pair(key, _ARRAY, struct.pack("<IQ", type_number, count) + value * count)


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data
