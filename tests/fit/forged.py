"""Headers of models that only the tests know, and devices to put them on."""

from collections.abc import Sequence
from functools import cache

from tests.gguf.forge import Counts, Tensor, forge

from quern.fit.shape.model_shape import ModelShape, shape_of
from quern.gguf import BytesSource, ModelHeader, read_model_header_from
from quern.hardware import DeviceKind, EngineDevice, EngineInfo

GIB = 1024**3
MIB = 1024**2
Q4_0, Q8_0, Q4_K, F16 = 2, 8, 12, 1
_BLOCKS = {0: (1, 4), F16: (1, 2), Q4_0: (32, 18), Q8_0: (32, 34), Q4_K: (256, 144)}


def llama_header(
    *, n_layer: int = 8, n_expert: int = 0, n_vocab: int = 1000, is_tied: bool = False, element: int = Q8_0
) -> ModelHeader:
    """Return a small llama model's header with tensor infos; its data is not there."""
    n_embd, n_ff = 256, 512
    metadata: dict[str, object] = {
        "general.architecture": "llama",
        "llama.context_length": 8192,
        "llama.embedding_length": n_embd,
        "llama.block_count": n_layer,
        "llama.feed_forward_length": n_ff,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "tokenizer.ggml.model": "llama",
    }
    if n_expert:
        metadata |= {"llama.expert_count": n_expert, "llama.expert_used_count": 2}
    shapes: dict[str, tuple[int, ...]] = {"token_embd": (n_embd, n_vocab), "output_norm": (n_embd,)}
    if not is_tied:
        shapes["output"] = (n_embd, n_vocab)
    for il in range(n_layer):
        shapes |= {f"blk.{il}.{name}": shape for name, shape in _layer(n_embd, n_ff, n_expert).items()}
    tensors = [_tensor(f"{name}.weight", shape, element) for name, shape in shapes.items()]
    return header_of(metadata, tensors)


def header_of(metadata: dict[str, object], tensors: Sequence[Tensor] = ()) -> ModelHeader:
    """Return the header of a model of these parts."""
    return read_model_header_from(BytesSource(forge(metadata, tensors, Counts())))


@cache
def llama_shape(*, n_layer: int = 8, n_expert: int = 0) -> ModelShape:
    """Return the shape of `llama_header`."""
    return shape_of(llama_header(n_layer=n_layer, n_expert=n_expert))


def cpu(free: int = 16 * GIB) -> EngineDevice:
    """Return the engine's own device."""
    return EngineDevice(name="CPU", description="A CPU", kind=DeviceKind.CPU, backend="CPU", free=free, total=16 * GIB)


def gpu(
    name: str = "CUDA0",
    free: int = 8 * GIB,
    *,
    kind: DeviceKind = DeviceKind.GPU,
    backend: str = "CUDA",
    address: str | None = None,
) -> EngineDevice:
    """Return a GPU of the engine."""
    return EngineDevice(
        name=name, description=f"Card {name}", kind=kind, backend=backend, free=free, total=free, address=address
    )


def engine(*gpus: EngineDevice, system_info: str = "CPU : AVX2 = 1") -> EngineInfo:
    """Return an engine that sees the CPU and `gpus`."""
    backends = tuple(dict.fromkeys(["CPU", *(one.backend for one in gpus)]))
    return EngineInfo(
        version="0.3.36", build="test", system_info=system_info, backends=backends, devices=(cpu(), *gpus)
    )


def _layer(n_embd: int, n_ff: int, n_expert: int) -> dict[str, tuple[int, ...]]:
    attention: dict[str, tuple[int, ...]] = {
        "attn_norm": (n_embd,),
        "attn_q": (n_embd, n_embd),
        "attn_k": (n_embd, n_embd // 2),
        "attn_v": (n_embd, n_embd // 2),
        "attn_output": (n_embd, n_embd),
        "ffn_norm": (n_embd,),
    }
    if not n_expert:
        return attention | {"ffn_gate": (n_embd, n_ff), "ffn_up": (n_embd, n_ff), "ffn_down": (n_ff, n_embd)}
    return attention | {
        "ffn_gate_inp": (n_embd, n_expert),
        "ffn_gate_exps": (n_embd, n_ff, n_expert),
        "ffn_up_exps": (n_embd, n_ff, n_expert),
        "ffn_down_exps": (n_ff, n_embd, n_expert),
    }


def _tensor(name: str, shape: tuple[int, ...], element: int) -> Tensor:
    number = 0 if len(shape) == 1 or "ffn_gate_inp" in name else element
    n_elements, n_bytes = _BLOCKS[number]
    total = 1
    for dimension in shape:
        total *= dimension
    return Tensor(name, shape, bytes(total // n_elements * n_bytes), number)
