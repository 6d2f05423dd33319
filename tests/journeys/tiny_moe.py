"""A tiny mixture of experts that llama.cpp really runs."""

import struct
from pathlib import Path
from random import Random

from tests.gguf.forge import (
    ARRAY,
    BOS_ID,
    EOS_ID,
    I32,
    N_EMBD,
    N_FF,
    N_HEADS,
    N_HEADS_KV,
    NORMAL,
    TOKENS,
    Tensor,
    Typed,
    forge,
)

N_LAYERS, N_EXPERTS, N_USED = 6, 4, 2
_N_EMBD_KV = N_EMBD // N_HEADS * N_HEADS_KV


def forge_moe(path: Path) -> Path:
    """Write it: 6 layers of 4 experts, of which a token uses 2."""
    metadata: dict[str, object] = {
        "general.architecture": "llama",
        "llama.context_length": 2048,
        "llama.embedding_length": N_EMBD,
        "llama.block_count": N_LAYERS,
        "llama.feed_forward_length": N_FF,
        "llama.expert_count": N_EXPERTS,
        "llama.expert_used_count": N_USED,
        "llama.attention.head_count": N_HEADS,
        "llama.attention.head_count_kv": N_HEADS_KV,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
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
    random = Random(3)
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd": (N_EMBD, len(TOKENS)),
        "output_norm": (N_EMBD,),
        "output": (N_EMBD, len(TOKENS)),
    }
    block: dict[str, tuple[int, ...]] = {
        "attn_norm": (N_EMBD,),
        "attn_q": (N_EMBD, N_EMBD),
        "attn_k": (N_EMBD, _N_EMBD_KV),
        "attn_v": (N_EMBD, _N_EMBD_KV),
        "attn_output": (N_EMBD, N_EMBD),
        "ffn_norm": (N_EMBD,),
        "ffn_gate_inp": (N_EMBD, N_EXPERTS),
        "ffn_gate_exps": (N_EMBD, N_FF, N_EXPERTS),
        "ffn_up_exps": (N_EMBD, N_FF, N_EXPERTS),
        "ffn_down_exps": (N_FF, N_EMBD, N_EXPERTS),
    }
    for layer in range(N_LAYERS):
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in block.items()}
    return [Tensor(f"{name}.weight", shape, _weights(random, shape)) for name, shape in shapes.items()]


def _weights(random: Random, shape: tuple[int, ...]) -> bytes:
    count = 1
    for dimension in shape:
        count *= dimension
    if len(shape) == 1:
        return struct.pack(f"<{count}f", *[1.0] * count)
    return struct.pack(f"<{count}f", *[random.uniform(-0.2, 0.2) for _ in range(count)])
