"""The batch for which llama.cpp reserves its buffers: the largest one it will ever compute."""

from dataclasses import dataclass

from quern.fit.buffer.kv_cache import context_cells, has_flash_attention, n_ubatch_tokens
from quern.fit.shape.model_shape import ModelShape
from quern.fit.shape.shape_keys import UINT32_MAX
from quern.spec import KvType, LoadSettings

_CELL_STEP = 256
_PLAIN = frozenset({KvType.F32, KvType.F16, KvType.BF16})


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """`n_tokens` of `n_seqs` sequences, `n_outputs` of them with logits, all cells of the cache in use.

    `n_kv` are the cells of one stream that a layer looks at, `n_kv_window` in layers with a sliding window, `n_stream`
    the streams. `has_flash` says that attention is one step, `type_k` and
    `type_v` what the caches are made of, `rotates_k` and `rotates_v` that keys and values are kept
    quantized (and are therefore rotated where the heads allow it).
    """

    n_tokens: int
    n_seqs: int
    n_outputs: int
    n_stream: int
    n_kv: int
    n_kv_window: int
    has_flash: bool
    type_k: KvType
    type_v: KvType
    rotates_k: bool
    rotates_v: bool


def reserved_batch(shape: ModelShape, settings: LoadSettings) -> Batch:
    """Return the batch that is reserved for: one output a sequence, an encoder's all.

    From llama-context.cpp, sched_reserve and graph_reserve ("pp").
    """
    cells = context_cells(settings)
    n_seqs = max(1, settings.n_seq_max)
    n_ubatch = n_ubatch_tokens(shape, settings)
    n_tokens = min(cells.n_ctx, n_ubatch)
    n_stream = n_seqs if shape.per_sequence else cells.n_stream
    n_window = cells.n_ctx_seq
    if not settings.swa_full:
        wanted = (shape.n_swa * (n_seqs // n_stream) + n_ubatch) & UINT32_MAX
        n_window = -(-min(n_window, wanted) // _CELL_STEP) * _CELL_STEP
    return Batch(
        n_tokens=-(-n_tokens // n_seqs) * n_seqs,
        n_seqs=n_seqs,
        n_outputs=n_tokens if shape.has_encoder else min(n_tokens, n_seqs),
        n_stream=n_stream,
        n_kv=cells.n_ctx_seq,
        n_kv_window=n_window,
        has_flash=has_flash_attention(shape, settings),
        type_k=settings.type_k,
        type_v=settings.type_v,
        rotates_k=settings.type_k not in _PLAIN,
        rotates_v=settings.type_v not in _PLAIN,
    )
