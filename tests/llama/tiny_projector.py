"""A tiny llava projector: its header and a hole where its weights would be."""

from math import prod
from pathlib import Path

from tests.gguf.forge import Tensor, forge

N_EMBD, N_FF, N_HEADS, N_LAYERS, N_PROJECTED = 64, 128, 4, 2, 96
PATCH, IMAGE = 14, 56
_N_PATCHES = (IMAGE // PATCH) ** 2

_BLOCK: dict[str, tuple[int, ...]] = {
    "attn_q.weight": (N_EMBD, N_EMBD),
    "attn_k.weight": (N_EMBD, N_EMBD),
    "attn_v.weight": (N_EMBD, N_EMBD),
    "attn_out.weight": (N_EMBD, N_EMBD),
    "ln1.weight": (N_EMBD,),
    "ln1.bias": (N_EMBD,),
    "ln2.weight": (N_EMBD,),
    "ln2.bias": (N_EMBD,),
    "ffn_up.weight": (N_EMBD, N_FF),
    "ffn_down.weight": (N_FF, N_EMBD),
}
_SHAPES: dict[str, tuple[int, ...]] = {
    "v.patch_embd.weight": (PATCH, PATCH, 3, N_EMBD),
    "v.position_embd.weight": (N_EMBD, _N_PATCHES + 1),
    "v.class_embd": (N_EMBD,),
    **{f"v.blk.{layer}.{name}": shape for layer in range(N_LAYERS) for name, shape in _BLOCK.items()},
    "mm.0.weight": (N_EMBD, N_PROJECTED),
    "mm.0.bias": (N_PROJECTED,),
    "mm.2.weight": (N_PROJECTED, N_PROJECTED),
    "mm.2.bias": (N_PROJECTED,),
}
WEIGHT_BYTES = sum(4 * prod(shape) for shape in _SHAPES.values())


def forge_projector(path: Path) -> Path:
    """Write it."""
    own: dict[str, object] = {
        "embedding_length": N_EMBD,
        "feed_forward_length": N_FF,
        "block_count": N_LAYERS,
        "projection_dim": N_PROJECTED,
        "attention.head_count": N_HEADS,
        "attention.layer_norm_epsilon": 1e-6,
        "image_size": IMAGE,
        "patch_size": PATCH,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
    }
    metadata: dict[str, object] = {
        "general.architecture": "clip",
        "clip.has_vision_encoder": True,
        "clip.projector_type": "mlp",
        "clip.use_gelu": True,
        **{f"clip.vision.{key}": value for key, value in own.items()},
    }
    path.write_bytes(forge(metadata, [Tensor(name, shape) for name, shape in _SHAPES.items()]))
    return path
