"""The tensors of published models: names and shapes as llama.cpp's converter writes them, types about as Q4_K_M."""

from collections.abc import Callable, Mapping

from . import published_attention as attending
from . import published_recurrent as recurrent
from .metadata_file import TensorSpec, Value
from .published_part import Numbers, Shapes, ends, tied

_NAMED_QUANTIZED = ("attn_v.weight", "ffn_down.weight", "ffn_down_exps.weight", "attn_qkv.weight")
_KEPT = ("_norm", "ffn_gate_inp", "ssm_conv1d", "shortconv.conv", "altup", "laurel", "per_layer_model_proj", "_lerp_")
_KEPT_PARTS = ("_w1.", "_w2.", "_a1.", "_a2.", "_v1.", "_v2.", "_g1.", "_g2.")


_LAYERS: dict[str, Callable[[Numbers, int], Shapes]] = {
    "deepseek2": attending.deepseek2,
    "falcon-h1": recurrent.falcon_h1,
    "gemma3": attending.gemma3,
    "gemma3n": attending.gemma3n,
    "glm4moe": attending.glm4moe,
    "gpt-oss": attending.gpt_oss,
    "granitehybrid": recurrent.granitehybrid,
    "lfm2": recurrent.lfm2,
    "llama": attending.llama,
    "mamba2": recurrent.mamba2,
    "phi3": attending.phi3,
    "qwen3": attending.qwen3,
    "qwen3moe": attending.qwen3,
    "qwen3next": recurrent.qwen3next,
    "rwkv7": recurrent.rwkv7,
}
_ENDS: dict[str, Callable[[Numbers], Shapes]] = {
    "gemma3": tied,
    "gemma3n": attending.gemma3n_ends,
    "granitehybrid": tied,
    "lfm2": lambda numbers: {"token_embd_norm.weight": (numbers.n_embd,)},
    "mamba2": tied,
    "rwkv7": recurrent.rwkv7_ends,
}


def tensors_of(architecture: str, keys: Mapping[str, Value]) -> list[TensorSpec]:
    """Return every tensor of the model."""
    numbers = Numbers(keys)
    shapes: Shapes = {"token_embd.weight": (numbers.n_embd, numbers.n_vocab), **_ENDS.get(architecture, ends)(numbers)}
    for il in range(numbers.n_layer):
        shapes |= {f"blk.{il}.{name}": shape for name, shape in _LAYERS[architecture](numbers, il).items()}
    return [TensorSpec(name, shape, _type_of(name, shape, numbers.n_layer)) for name, shape in shapes.items()]


def _type_of(name: str, shape: tuple[int, ...], n_layer: int) -> str:
    if len(shape) == 1 or not name.endswith(".weight") or any(kept in name for kept in (*_KEPT, *_KEPT_PARTS)):
        return "F32"
    if shape[0] % 32:
        return "F16"
    if shape[0] % 256:
        return "MXFP4" if "_exps" in name else "Q8_0"
    if name == "output.weight":
        return "Q6_K"
    il = int(name.split(".")[1]) if name.startswith("blk.") else 0
    is_finer = il < n_layer // 8 or il >= 7 * n_layer // 8 or (il - n_layer // 8) % 3 == 2
    return "Q6_K" if is_finer and name.endswith(_NAMED_QUANTIZED) else "Q4_K"
