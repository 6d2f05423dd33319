"""How to make a context, and the llama_context_params made of it."""

from dataclasses import dataclass

from .binding import lib
from .errors import ContextRefused

MAX_SEQUENCES = 256  # LLAMA_MAX_SEQ (llama-cparams.h)
MAX_CELLS = (1 << 31) - 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextParams:
    """How to make a context. `flash_attention` None lets llama.cpp decide; types are GGML_TYPE_* numbers.

    `n_seq_max` sequences share all cells where `is_unified`, else each has its part of them. `keeps_whole_window` keeps
    layers with a sliding window at full length (llama.cpp's swa_full).
    """

    n_ctx_cells: int
    n_batch_tokens: int
    n_ubatch_tokens: int
    n_threads: int
    flash_attention: bool | None
    type_k: int
    type_v: int
    offloads: bool
    n_seq_max: int = 1
    is_unified: bool = True
    keeps_whole_window: bool = True


def raw_context_params(params: ContextParams) -> lib.llama_context_params:
    """Return the llama_context_params. Raises ContextRefused for numbers that llama.cpp would cut off or abort on."""
    _check_range("cells", params.n_ctx_cells, MAX_CELLS)
    _check_range("sequences", params.n_seq_max, MAX_SEQUENCES)
    _check_range("tokens in a batch", params.n_batch_tokens, MAX_CELLS)
    _check_range("tokens in a ubatch", params.n_ubatch_tokens, MAX_CELLS)
    _check_range("threads", params.n_threads, MAX_CELLS)
    flash_types = {
        None: lib.LLAMA_FLASH_ATTN_TYPE_AUTO,
        False: lib.LLAMA_FLASH_ATTN_TYPE_DISABLED,
        True: lib.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    }
    raw = lib.llama_context_default_params()
    raw.n_ctx = params.n_ctx_cells
    raw.n_batch = params.n_batch_tokens
    raw.n_ubatch = params.n_ubatch_tokens
    raw.n_seq_max = raw.n_outputs_max = params.n_seq_max  # one output each; the engine asks for no more (context.py)
    raw.n_outputs_max_per_seq = 1
    raw.n_threads = raw.n_threads_batch = params.n_threads
    raw.flash_attn_type = flash_types[params.flash_attention]
    raw.type_k, raw.type_v = params.type_k, params.type_v
    raw.offload_kqv = raw.op_offload = params.offloads
    raw.swa_full = params.keeps_whole_window
    raw.kv_unified = params.is_unified
    raw.no_perf = True
    return raw


def _check_range(what: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ContextRefused(f"{value:,} {what} are not possible, only 1 to {most:,}")
