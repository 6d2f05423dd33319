"""Bytes of the KV cache, layer by layer (llama.cpp: llama-context.cpp, llama-kv-cache.cpp and its kin)."""

from dataclasses import dataclass

from quern.fit.measure.engine_fault import check_engine_faults
from quern.fit.shape.cache import Cache, Extent
from quern.fit.shape.model_shape import ModelShape
from quern.fit.shape.shape_keys import UINT32_MAX
from quern.spec import FlashAttention, KvType, LoadSettings

from .settings_refused import SettingsRefused

CELL_STEP = 256
MOST_SEQUENCES = 256  # llama-cparams.h, LLAMA_MAX_SEQ
# Elements and bytes of one block (ggml.c, type_traits).
_BLOCKS: dict[KvType, tuple[int, int]] = {
    KvType.F32: (1, 4),
    KvType.F16: (1, 2),
    KvType.BF16: (1, 2),
    KvType.Q8_0: (32, 34),
    KvType.Q5_1: (32, 24),
    KvType.Q5_0: (32, 22),
    KvType.Q4_1: (32, 20),
    KvType.Q4_0: (32, 18),
    KvType.IQ4_NL: (32, 18),
}


@dataclass(frozen=True, slots=True)
class ContextCells:
    """Cells of all sequences together, of one sequence, and how many streams have so many of their own."""

    n_ctx: int
    n_ctx_seq: int
    n_stream: int


def context_cells(settings: LoadSettings) -> ContextCells:
    """Return the cells that llama.cpp makes of `settings`, which leave nothing open (llama-context.cpp, constructor).

    Raises SettingsRefused for more sequences than llama.cpp can have.
    """
    n_ctx = _padded(_cells(settings))
    n_seq_max = max(1, settings.n_seq_max)
    if n_seq_max > MOST_SEQUENCES:
        raise SettingsRefused(f"{n_seq_max:,} sequences at once are more than {MOST_SEQUENCES}")
    if settings.kv_unified:
        return ContextCells(n_ctx, n_ctx, 1)
    n_ctx_seq = _padded(n_ctx // n_seq_max)
    return ContextCells(n_ctx_seq * n_seq_max, n_ctx_seq, n_seq_max)


def kv_bytes_by_layer(shape: ModelShape, settings: LoadSettings) -> tuple[int, ...]:
    """Return the bytes of each layer's caches, one entry for each of `shape.layers`.

    With them counts what deepseek4 keeps of each sequence until it is compressed into the cache (F32).

    Raises SettingsRefused for KV types that llama.cpp refuses with this model.
    """
    rows = _Rows(shape, settings)
    by_kind = [sum(map(rows.nbytes, kind.caches)) for kind in shape.kinds]
    if shape.per_sequence:
        n_seq_max = max(1, settings.n_seq_max)
        by_kind = [taken + kind.state_bytes(n_seq_max) for taken, kind in zip(by_kind, shape.kinds, strict=True)]
    return tuple([by_kind[index] for index in shape.kind_of])


def n_ubatch_tokens(shape: ModelShape, settings: LoadSettings) -> int:
    """Return how many tokens are computed at once at most (llama-context.cpp, constructor)."""
    n_batch = settings.n_batch_tokens
    if shape.is_causal:
        n_batch = min(n_batch, _cells(settings))
    return min(n_batch, settings.n_ubatch_tokens or n_batch)


def has_flash_attention(shape: ModelShape, settings: LoadSettings) -> bool:
    """Whether the cache is laid out for flash attention, as with AUTO; grok has none (llama_init_from_model)."""
    return settings.flash_attention is not FlashAttention.OFF and shape.architecture != "grok"


class _Rows:
    """Sizes under one choice of settings: cells by extent, and bytes of a row."""

    def __init__(self, shape: ModelShape, settings: LoadSettings) -> None:
        check_kv_types(shape, settings)
        self._is_transposed = not has_flash_attention(shape, settings)
        n_ubatch = n_ubatch_tokens(shape, settings)
        check_engine_faults(
            shape.architecture, settings, n_ubatch_tokens=n_ubatch, has_flash_attention=not self._is_transposed
        )
        cells = context_cells(settings)
        n_seq_max = max(1, settings.n_seq_max)
        n_stream, n_sharing = cells.n_stream, n_seq_max // cells.n_stream
        if shape.per_sequence:
            n_stream, n_sharing = n_seq_max, 1
        n_window = cells.n_ctx_seq
        if not settings.swa_full:
            wanted = (shape.n_swa * n_sharing + n_ubatch) & UINT32_MAX
            n_window = _padded(min(n_window, wanted))
        self._cells = {
            Extent.CONTEXT: n_stream * cells.n_ctx_seq,
            Extent.WINDOW: n_stream * n_window,
            Extent.EVERY_4: n_stream * _padded(max(1, -(-cells.n_ctx_seq // 4))),
            Extent.EVERY_128: n_stream * _padded(max(1, -(-cells.n_ctx_seq // 128))),
        }
        self._block_k, self._block_v = _BLOCKS[settings.type_k], _BLOCKS[settings.type_v]

    def nbytes(self, cache: Cache) -> int:
        """Bytes of one cache."""
        v_width = cache.v_width_transposed if self._is_transposed else cache.v_width
        row = _row_bytes(self._block_k, cache.k_width) + _row_bytes(self._block_v, v_width)
        return self._cells[cache.extent] * row


def check_kv_types(shape: ModelShape, settings: LoadSettings) -> None:
    """Raise SettingsRefused for KV types that llama.cpp refuses with this model (llama_init_from_model)."""
    type_k, type_v = settings.type_k, settings.type_v
    if (shape.latent is not None or shape.architecture == "deepseek4") and type_k is not type_v:
        raise SettingsRefused("its keys and values are one, and cannot be kept as two different types")
    block_k, block_v = _BLOCKS[type_k][0], _BLOCKS[type_v][0]
    is_flash = has_flash_attention(shape, settings)
    if block_v > 1 and not is_flash:
        raise SettingsRefused(f"values of type {type_v} need flash attention, which is off")
    for kind in shape.kinds:
        if is_flash and not kind.is_nextn:
            _check_width(kind.key_length, block_k, f"heads with keys of {kind.key_length:,} numbers", type_k)
            _check_width(kind.value_length, block_v, f"heads with values of {kind.value_length:,} numbers", type_v)
        for cache in kind.caches:
            _check_width(cache.k_width, block_k, f"keys of {cache.k_width:,} numbers", type_k)
            _check_width(cache.v_width, block_v, f"values of {cache.v_width:,} numbers", type_v)


def _check_width(width: int, n_elements: int, what: str, kv_type: KvType) -> None:
    if width % n_elements:
        raise SettingsRefused(f"it has {what}, and {kv_type} holds only blocks of {n_elements}")


def _cells(settings: LoadSettings) -> int:
    assert settings.n_ctx_cells is not None, "settings must leave nothing open (see resolve)"
    return settings.n_ctx_cells


def _padded(n_cells: int) -> int:
    return -(-n_cells // CELL_STEP) * CELL_STEP


def type_bytes(kv_type: KvType, n_elements: int) -> int:
    """Return the bytes of `n_elements` of a cache's type, whole blocks of it (ggml.c, ggml_row_size)."""
    return _row_bytes(_BLOCKS[kv_type], n_elements)


def _row_bytes(block: tuple[int, int], width: int) -> int:
    n_elements, n_bytes = block
    return width // n_elements * n_bytes
