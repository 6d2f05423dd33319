"""Bytes of the buffer in which the CPU converts what it multiplies (ggml-cpu.c, ggml_graph_plan)."""

from quern.fit.shape.layer import Layer
from quern.fit.shape.model_shape import ModelShape
from quern.spec import FlashAttention, KvType, LoadSettings

from .kv_cache import context_cells

_F16_BYTES = 2
_CACHE_LINE_BYTES = 64
# A value that meets a quantized weight is rounded to q8: 34 to 36 bytes for 32 of them (ggml-common.h).
_Q8_BLOCK_BYTES, _Q8_BLOCK = 36, 32
_WIDE = frozenset({KvType.F32})


def work_bytes(shape: ModelShape, settings: LoadSettings) -> int:
    """Return the work buffer of a load that computes on the CPU alone, with quantized weights.

    A matrix product first converts its right side, for a whole ubatch: the widest row that meets a weight, or, without
    flash attention, the scores of all heads over all cells, which meet the V cache.
    """
    n_tokens = min(settings.n_ubatch_tokens, settings.n_batch_tokens, context_cells(settings).n_ctx)
    widest = max((_widest_row(layer, shape.n_embd) for layer in shape.kinds), default=shape.n_embd)
    work = n_tokens * widest * _Q8_BLOCK_BYTES // _Q8_BLOCK
    if settings.flash_attention is FlashAttention.OFF and settings.type_v not in _WIDE:
        n_head = max((layer.n_head for layer in shape.kinds if layer.attends), default=0)
        work = max(work, n_tokens * context_cells(settings).n_ctx_seq * n_head * _F16_BYTES)
    return work + _CACHE_LINE_BYTES * (settings.n_threads or 1)


def _widest_row(layer: Layer, n_embd: int) -> int:
    attention = layer.n_head * layer.value_length
    return max(n_embd, attention, layer.n_ff, layer.n_ff_expert * layer.n_expert_used)
