"""How to open a model, and the llama_model_params made of it."""

import ctypes
from dataclasses import dataclass

from .binding import lib
from .errors import LoadRefused
from .ggml import TensorBufferOverride, cpu_buffer_type

# llama-model's tensors of experts, as --n-cpu-moe names them (common/arg.cpp; LLM_FFN_EXPS_REGEX in common.h).
_EXPERTS = r"^blk\.(?:{layers})\.ffn_(?:up|down|gate_up|gate)_(?:ch|)exps"
MAX_LAYERS = 4096
MAX_KEY_BYTES = 127  # llama_model_kv_override.key, which ends with 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelParams:
    """How to open a model.

    `n_gpu_layers` None offloads all, 0 keeps every device but the CPU out. `tensor_split` are the GPUs' shares of the
    layers, empty for llama.cpp's own choice. `n_cpu_moe_layers` keeps the experts of so many first layers in the
    machine's memory. `measures_only` reads no weights and allocates
    nothing (llama.cpp's no_alloc): such a model answers how much memory it would take, and computes nothing.
    `unread_vocabulary` leaves the vocabulary unread, most of the time of a dry run, and only takes it to be so large.
    """

    n_gpu_layers: int | None
    allows_extra_buffers: bool
    uses_mmap: bool
    locks_memory: bool = False
    tensor_split: tuple[float, ...] = ()
    n_cpu_moe_layers: int = 0
    measures_only: bool = False
    unread_vocabulary: "UnreadVocabulary | None" = None


@dataclass(frozen=True, slots=True)
class UnreadVocabulary:
    """The model's `general.architecture`, and how many tokens its vocabulary has."""

    architecture: str
    n_tokens: int


class RawModelParams:
    """Owns a llama_model_params and the arrays that it points to; must live until the model is loaded."""

    def __init__(self, params: ModelParams) -> None:
        """Raises LoadRefused where there are more shares than llama.cpp can have devices."""
        self.raw = lib.llama_model_default_params()
        self.raw.use_extra_bufts = params.allows_extra_buffers
        self.raw.load_mode = _load_mode(params)
        self.raw.no_alloc = params.measures_only
        self.raw.n_gpu_layers = -1 if params.n_gpu_layers is None else params.n_gpu_layers
        self._no_devices = (ctypes.c_void_p * 1)(None)
        if params.n_gpu_layers == 0:
            self.raw.devices = ctypes.addressof(self._no_devices)
        self._shares = _share_list(params.tensor_split)
        if self._shares is not None:
            self.raw.tensor_split = self._shares
        self._metadata = _metadata_list(params.unread_vocabulary)
        if self._metadata is not None:
            self.raw.kv_overrides = self._metadata
        self._overrides = _override_list(params.n_cpu_moe_layers)
        if self._overrides is not None:
            self.raw.tensor_buft_overrides = ctypes.addressof(self._overrides)


def _load_mode(params: ModelParams) -> int:
    """llama.cpp aborts on a mapped file that it only measures (llama-model.cpp, load_tensors)."""
    if params.measures_only:
        return lib.LLAMA_LOAD_MODE_NONE
    if params.locks_memory:
        return lib.LLAMA_LOAD_MODE_MMAP_MLOCK if params.uses_mmap else lib.LLAMA_LOAD_MODE_MLOCK
    return lib.LLAMA_LOAD_MODE_MMAP if params.uses_mmap else lib.LLAMA_LOAD_MODE_NONE


def _share_list(shares: tuple[float, ...]) -> "ctypes.Array[ctypes.c_float] | None":
    if not any(share > 0 for share in shares):
        return None
    n_most = lib.llama_max_devices()
    if len(shares) > n_most:
        raise LoadRefused(f"a model can be split over {n_most} devices, not over {len(shares)}")
    return (ctypes.c_float * n_most)(*shares)


def _override_list(n_cpu_moe_layers: int) -> "ctypes.Array[TensorBufferOverride] | None":
    if n_cpu_moe_layers <= 0:
        return None
    layers = "|".join(str(layer) for layer in range(min(n_cpu_moe_layers, MAX_LAYERS)))
    pattern = _EXPERTS.format(layers=layers).encode()
    return (TensorBufferOverride * 2)((pattern, cpu_buffer_type()), (None, None))


def _metadata_list(vocabulary: UnreadVocabulary | None) -> "ctypes.Array[lib.llama_model_kv_override] | None":
    """Have llama.cpp read other metadata than there are: no tokenizer, and a size without one (llama-vocab.cpp)."""
    if vocabulary is None:
        return None
    overrides = (lib.llama_model_kv_override * 3)()  # the last one, without a key, ends it
    overrides[0].tag, overrides[0].key = lib.LLAMA_KV_OVERRIDE_TYPE_STR, b"tokenizer.ggml.model"
    overrides[0].value.val_str = b"no_vocab"
    key = f"{vocabulary.architecture}.vocab_size".encode()
    overrides[1].tag, overrides[1].key = lib.LLAMA_KV_OVERRIDE_TYPE_INT, key[:MAX_KEY_BYTES]
    overrides[1].value.val_i64 = vocabulary.n_tokens
    return overrides
