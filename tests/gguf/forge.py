"""Writes GGUF files for tests: any header, right or wrong, and a tiny llama model that llama.cpp really opens."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import cast

U32, I32, F32, BOOL, STRING, ARRAY, U64, F64 = 4, 5, 6, 7, 8, 9, 10, 12
_PACKED = {0: "B", 1: "b", 2: "H", 3: "h", U32: "I", I32: "i", F32: "f", BOOL: "?", U64: "Q", 11: "q", F64: "d"}
ALIGNMENT = 32


@dataclass(frozen=True, slots=True)
class Typed:
    """A metadata value whose type in the file is `type_number`; `element_type` is that of an array's elements."""

    value: object
    type_number: int
    element_type: int | None = None


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor to write. `data` None means zeros of the right size for F32; other fields are written as they are."""

    name: str
    dimensions: tuple[int, ...]
    data: bytes | None = None
    type_number: int = 0
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """What a header claims; None means the truth."""

    version: int = 3
    n_tensors: int | None = None
    n_metadata: int | None = None
    magic: bytes = b"GGUF"
    byte_order: str = "<"


def packed_string(text: str | bytes) -> bytes:
    """Return `text` as GGUF writes it: length u64, bytes."""
    data = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(data)) + data


def packed_value(value: object) -> bytes:
    """Return the type number and bytes of a metadata value.

    int becomes UINT32 (INT32 where negative), float FLOAT32, list an array of its first element's type.
    """
    typed = value if isinstance(value, Typed) else _typed(value)
    head = struct.pack("<I", typed.type_number)
    if typed.type_number != ARRAY:
        return head + _packed(typed.value, typed.type_number)
    element_type = typed.element_type
    assert element_type is not None
    items = cast(Sequence[object], typed.value)
    body = b"".join(_packed(item, element_type) for item in items)
    return head + struct.pack("<IQ", element_type, len(items)) + body


def _typed(value: object) -> Typed:
    match value:
        case bool():
            return Typed(value, BOOL)
        case int():
            return Typed(value, I32 if value < 0 else U32)
        case float():
            return Typed(value, F32)
        case str() | bytes():
            return Typed(value, STRING)
        case list() | tuple():
            items = cast(Sequence[object], value)
            return Typed(items, ARRAY, _typed(items[0]).type_number)
        case _:
            raise TypeError(value)


def _packed(value: object, type_number: int) -> bytes:
    if type_number == STRING:
        assert isinstance(value, str | bytes)
        return packed_string(value)
    return struct.pack(f"<{_PACKED[type_number]}", value)


def forge(metadata: Mapping[str, object], tensors: Sequence[Tensor] = (), counts: Counts = Counts()) -> bytes:
    """Return a GGUF file of `metadata` and `tensors`, with whatever `counts` claims instead of the truth."""
    n_tensors = len(tensors) if counts.n_tensors is None else counts.n_tensors
    n_metadata = len(metadata) if counts.n_metadata is None else counts.n_metadata
    head = counts.magic + struct.pack(f"{counts.byte_order}IQQ", counts.version, n_tensors, n_metadata)
    head += b"".join(packed_string(key) + packed_value(value) for key, value in metadata.items())
    infos, data = b"", b""
    for tensor in tensors:
        n_elements = 1
        for dimension in tensor.dimensions:
            n_elements *= dimension
        content = bytes(4 * n_elements) if tensor.data is None else tensor.data
        infos += packed_string(tensor.name)
        infos += struct.pack(f"<I{len(tensor.dimensions)}Q", len(tensor.dimensions), *tensor.dimensions)
        infos += struct.pack("<IQ", tensor.type_number, len(data) if tensor.offset is None else tensor.offset)
        data += content + bytes(-len(content) % ALIGNMENT)
    head += infos
    return head + bytes(-len(head) % ALIGNMENT) + data


NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
_PIECES = (*"▁etaoinsrhldcumfpgwybvk", "▁t", "▁a", "he", "in", "th", "▁the", "er", "on", "▁s", "re", "an", "▁w", "ou")
SPECIAL_TOKENS = ("<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>")
BYTE_TOKENS = tuple(f"<0x{number:02X}>" for number in range(256))
TOKENS = (*SPECIAL_TOKENS, *BYTE_TOKENS, *_PIECES)
UNKNOWN_ID, BOS_ID, EOS_ID = 0, 1, 2

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

N_CTX_TRAIN, N_LAYERS, N_EMBD, N_HEADS, N_HEADS_KV, N_FF = 512, 2, 64, 4, 2, 128
_N_EMBD_KV = N_EMBD // N_HEADS * N_HEADS_KV


@dataclass(frozen=True, slots=True, kw_only=True)
class TinyModel:
    """What to write differently from a good tiny model.

    `metadata` replaces values (or removes a key, by None); `dropped_tensors` are left out; `tokens` is the vocabulary
    (its first five are special, the next 256 bytes); `seed` decides the weights.
    """

    chat_template: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    dropped_tensors: frozenset[str] = frozenset()
    tokens: tuple[str, ...] = TOKENS
    seed: int = 1


def with_duplicate_token() -> TinyModel:
    """Return a model whose token list holds the same text twice (GG-06)."""
    return TinyModel(tokens=(*TOKENS[:-1], TOKENS[-2]))


def forge_llama_model(path: Path, model: TinyModel = TinyModel()) -> Path:
    """Write a random model of about 112,000 F32 weights that llama.cpp opens and decodes; return `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(forge(_metadata(model), _tensors(model)))
    return path


def _metadata(model: TinyModel) -> dict[str, object]:
    tokens = model.tokens
    types = [UNKNOWN, *[CONTROL] * 4, *[BYTE] * 256, *[NORMAL] * (len(tokens) - 261)]
    metadata: dict[str, object] = {
        "general.architecture": "llama",
        "general.type": "model",
        "general.name": "Tiny Test Model",
        "general.license": "apache-2.0",
        "general.file_type": 0,
        "llama.context_length": N_CTX_TRAIN,
        "llama.embedding_length": N_EMBD,
        "llama.block_count": N_LAYERS,
        "llama.feed_forward_length": N_FF,
        "llama.attention.head_count": N_HEADS,
        "llama.attention.head_count_kv": N_HEADS_KV,
        "llama.rope.dimension_count": N_EMBD // N_HEADS,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": list(tokens),
        "tokenizer.ggml.scores": [-float(number) for number in range(len(tokens))],
        "tokenizer.ggml.token_type": Typed(types, ARRAY, I32),
        "tokenizer.ggml.bos_token_id": BOS_ID,
        "tokenizer.ggml.eos_token_id": EOS_ID,
        "tokenizer.ggml.unknown_token_id": UNKNOWN_ID,
        "tokenizer.ggml.add_bos_token": True,
    }
    if model.chat_template is not None:
        metadata["tokenizer.chat_template"] = model.chat_template
    metadata |= model.metadata
    return {key: value for key, value in metadata.items() if value is not None}


def _tensors(model: TinyModel) -> list[Tensor]:
    random = Random(model.seed)
    table = (N_EMBD, len(model.tokens))
    shapes = {"token_embd.weight": table, "output_norm.weight": (N_EMBD,), "output.weight": table}
    for layer in range(N_LAYERS):
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in _LAYER_SHAPES.items()}
    kept = {name: shape for name, shape in shapes.items() if name not in model.dropped_tensors}
    return [Tensor(name, shape, _weights(random, shape)) for name, shape in kept.items()]


_LAYER_SHAPES: dict[str, tuple[int, ...]] = {
    "attn_norm": (N_EMBD,),
    "attn_q": (N_EMBD, N_EMBD),
    "attn_k": (N_EMBD, _N_EMBD_KV),
    "attn_v": (N_EMBD, _N_EMBD_KV),
    "attn_output": (N_EMBD, N_EMBD),
    "ffn_norm": (N_EMBD,),
    "ffn_gate": (N_EMBD, N_FF),
    "ffn_up": (N_EMBD, N_FF),
    "ffn_down": (N_FF, N_EMBD),
}


def _weights(random: Random, shape: tuple[int, ...]) -> bytes:
    """Return F32 weights: ones for a norm, else uniform ones that keep a unit of variance over a row."""
    if len(shape) == 1:
        return struct.pack(f"<{shape[0]}f", *[1.0] * shape[0])
    scale = (3 / shape[0]) ** 0.5
    count = shape[0] * shape[1]
    return struct.pack(f"<{count}f", *[scale * (2 * random.random() - 1) for _ in range(count)])
