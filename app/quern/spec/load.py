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
    of them.

    `n_gpu_layers` None offloads everything that a GPU can take; 0 keeps the model on the CPU. `n_cpu_moe_layers` keeps
    the expert weights of so many first layers on the CPU (llama.cpp's --n-cpu-moe). `tensor_split` are the shares of
    the layers that each GPU takes, in the engine's order; empty leaves that to llama.cpp, which goes by free memory.

    `n_seq_max` sequences can be remembered at once. Where `kv_unified`, they share all cells; otherwise each has its
    own n_ctx_cells / n_seq_max of them, rounded up to 256. `swa_full` keeps layers with a sliding window at full
    length, which a cut back to an earlier position needs. `mlock` keeps the weights from being paged out.
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
    mlock: bool = False
    n_seq_max: int = 1
    kv_unified: bool = True
    swa_full: bool = True
    n_cpu_moe_layers: int = 0
    tensor_split: tuple[float, ...] = ()
