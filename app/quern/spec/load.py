"""How a model is loaded: every choice that decides memory and kernels."""

from dataclasses import dataclass
from enum import StrEnum


class KvType(StrEnum):
    """Element type of the KV cache, by the names llama.cpp gives ggml types."""

    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    Q8_0 = "q8_0"
    Q5_1 = "q5_1"
    Q5_0 = "q5_0"
    Q4_1 = "q4_1"
    Q4_0 = "q4_0"
    IQ4_NL = "iq4_nl"


class FlashAttention(StrEnum):
    """Whether llama.cpp uses its flash-attention kernels; AUTO lets it decide."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class ExtraBuffers(StrEnum):
    """Whether weights may be repacked for special CPU kernels (AMX, KleidiAI, repack), which crash on some machines."""

    ALLOWED = "allowed"
    AVOIDED = "avoided"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSettings:
    """One way to load a model.

    `n_ctx_cells` is the number of KV cells shared by all requests (llama.cpp's n_ctx, which it pads to 256); None
    means the smaller of the trained context and 4,096. `n_threads` None means one per physical core, all but none
    of them. `n_gpu_layers` None offloads everything that a GPU can take; 0 keeps the model on the CPU.
    """

    n_ctx_cells: int | None = None
    n_threads: int | None = None
    n_batch_tokens: int = 512
    n_ubatch_tokens: int = 512
    n_gpu_layers: int | None = None
    flash_attention: FlashAttention = FlashAttention.AUTO
    type_k: KvType = KvType.F16
    type_v: KvType = KvType.F16
    extra_buffers: ExtraBuffers = ExtraBuffers.ALLOWED
    mmap: bool = True
