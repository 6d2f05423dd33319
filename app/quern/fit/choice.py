"""Fills what a person left open in LoadSettings, and clamps what cannot be."""

from dataclasses import dataclass, replace

from quern.spec import FlashAttention, KvType, LoadSettings

DEFAULT_CTX_CELLS = 4096
CELL_STEP = 256
MAX_CTX_CELLS = (1 << 31) - CELL_STEP
MAX_UBATCH_TOKENS = 2048
MIN_UBATCH_TOKENS = 32
MAX_SCORES_BYTES = 512 * 1024 * 1024

UNQUANTIZED = frozenset({KvType.F32, KvType.F16, KvType.BF16})


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What the open choices depend on: the model's heads and trained context, the CPU's threads, a GPU in use."""

    n_ctx_train: int
    n_head: int
    default_threads: int
    max_threads: int
    uses_gpu: bool


def resolve(settings: LoadSettings, where: Circumstances) -> LoadSettings:
    """Return `settings` with nothing left open, as llama.cpp will be told.

    Threads below 1 become the default (one per fast physical core), above the machine's they become the machine's.
    The context is at least one step of 256 cells; batches lie between 1 and the context, ubatches within 2,048.

    Flash attention AUTO becomes OFF on a CPU, because llama.cpp's CPU kernel for it is the slower one (decode at 1,280
    cells: 37 tokens/s with, 66 without; batches of 8-63 tokens 60 against 179-247), unless the V cache is quantized,
    which needs it. Without it the attention scores of a whole ubatch are kept (4 bytes * ubatch * cells * heads,
    llama-graph.cpp): the ubatch is halved until they fit into 512 MiB. With a GPU, AUTO is left to llama.cpp.
    """
    n_ctx_cells = _cells(settings.n_ctx_cells, where.n_ctx_train)
    n_batch = _clamp(settings.n_batch_tokens, 1, n_ctx_cells)
    n_ubatch = _clamp(settings.n_ubatch_tokens, 1, min(n_batch, MAX_UBATCH_TOKENS))
    flash_attention = _flash_attention(settings, where)
    if flash_attention is FlashAttention.OFF and not where.uses_gpu:
        n_ubatch = with_room_for_scores(n_ubatch, n_ctx_cells * where.n_head)
    return replace(
        settings,
        n_ctx_cells=n_ctx_cells,
        n_threads=_threads(settings.n_threads, where),
        n_batch_tokens=n_batch,
        n_ubatch_tokens=n_ubatch,
        n_gpu_layers=None if settings.n_gpu_layers is None else max(0, settings.n_gpu_layers),
        flash_attention=flash_attention,
    )


def request_limit(asked_cells: int | None, n_ctx_cells: int, n_ctx_train: int) -> int:
    """Return how many tokens one request may have: the smallest of the cells asked for, those there are (llama.cpp
    pads to 256) and the trained context. Numbers below 1 ask for nothing.
    """
    bounds = (asked_cells or 0, n_ctx_cells, n_ctx_train)
    return min(bound for bound in bounds if bound > 0)


def _cells(asked: int | None, n_ctx_train: int) -> int:
    if asked is None or asked < 1:
        asked = min(n_ctx_train, DEFAULT_CTX_CELLS) if n_ctx_train > 0 else DEFAULT_CTX_CELLS
    steps = -(-asked // CELL_STEP)
    return _clamp(steps * CELL_STEP, CELL_STEP, MAX_CTX_CELLS)


def _threads(asked: int | None, where: Circumstances) -> int:
    if asked is None or asked < 1:
        return where.default_threads
    return min(asked, where.max_threads)


def _flash_attention(settings: LoadSettings, where: Circumstances) -> FlashAttention:
    if settings.flash_attention is not FlashAttention.AUTO:
        return settings.flash_attention
    if settings.type_v not in UNQUANTIZED:
        return FlashAttention.ON
    return FlashAttention.AUTO if where.uses_gpu else FlashAttention.OFF


def with_room_for_scores(n_ubatch: int, scores_per_token: int) -> int:
    """Return the ubatch that keeps the attention scores without flash attention within 512 MiB, in tokens.

    Each token has `scores_per_token` of them: cells times heads.
    """
    while n_ubatch > MIN_UBATCH_TOKENS and 4 * n_ubatch * scores_per_token > MAX_SCORES_BYTES:
        n_ubatch = max(MIN_UBATCH_TOKENS, n_ubatch // 2)
    return n_ubatch


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(value, high))
