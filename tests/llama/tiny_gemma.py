"""A tiny gemma3 that llama.cpp really runs: every other layer sees only the last tokens."""

import struct
from pathlib import Path
from random import Random

from tests.gguf.forge import ARRAY, BOS_ID, EOS_ID, I32, NORMAL, TOKENS, Tensor, Typed, forge

N_EMBD, N_HEADS, HEAD_WIDTH, N_FF, N_LAYERS = 64, 2, 32, 64, 4
WINDOW = 64
N_CTX_TRAIN = 2048


def forge_gemma(path: Path) -> Path:
    """Write it, with weights that are random but always the same."""
    own: dict[str, object] = {
        "context_length": N_CTX_TRAIN,
        "embedding_length": N_EMBD,
        "block_count": N_LAYERS,
        "feed_forward_length": N_FF,
        "attention.head_count": N_HEADS,
        "attention.head_count_kv": 1,
        "attention.key_length": HEAD_WIDTH,
        "attention.value_length": HEAD_WIDTH,
        "attention.sliding_window": WINDOW,
        "attention.sliding_window_pattern": 2,
        "attention.layer_norm_rms_epsilon": 1e-6,
    }
    metadata: dict[str, object] = {
        "general.architecture": "gemma3",
        **{f"gemma3.{key}": value for key, value in own.items()},
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": list(TOKENS),
        "tokenizer.ggml.scores": [0.0] * len(TOKENS),
        "tokenizer.ggml.token_type": Typed([NORMAL] * len(TOKENS), ARRAY, I32),
        "tokenizer.ggml.bos_token_id": BOS_ID,
        "tokenizer.ggml.eos_token_id": EOS_ID,
    }
    path.write_bytes(forge(metadata, _tensors()))
    return path


def _tensors() -> list[Tensor]:
    random, width = Random(7), N_HEADS * HEAD_WIDTH
    norms = ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
    shapes: dict[str, tuple[int, ...]] = {"token_embd": (N_EMBD, len(TOKENS)), "output_norm": (N_EMBD,)}
    for layer in range(N_LAYERS):
        block: dict[str, tuple[int, ...]] = {
            **dict.fromkeys(norms, (N_EMBD,)),
            **dict.fromkeys(("attn_q_norm", "attn_k_norm"), (HEAD_WIDTH,)),
            "attn_q": (N_EMBD, width),
            "attn_k": (N_EMBD, HEAD_WIDTH),
            "attn_v": (N_EMBD, HEAD_WIDTH),
            "attn_output": (width, N_EMBD),
            "ffn_gate": (N_EMBD, N_FF),
            "ffn_up": (N_EMBD, N_FF),
            "ffn_down": (N_FF, N_EMBD),
        }
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in block.items()}
    return [Tensor(f"{name}.weight", shape, _weights(random, shape)) for name, shape in shapes.items()]


def _weights(random: Random, shape: tuple[int, ...]) -> bytes:
    if len(shape) == 1:
        return struct.pack(f"<{shape[0]}f", *[1.0] * shape[0])
    count, scale = shape[0] * shape[1], (12 / shape[0]) ** 0.5
    return struct.pack(f"<{count}f", *[scale * (2 * random.random() - 1) for _ in range(count)])
