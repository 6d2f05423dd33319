"""Single steps that make a load smaller, each with settings that take it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from quern.fit.choice import CELL_STEP, UNQUANTIZED
from quern.fit.report import AdviceKind
from quern.spec import FlashAttention, KvType, LoadSettings

from .attempt import Attempts
from .gpu_share import fewest_cpu_experts, most_gpu_layers, n_offloaded
from .largest import largest_ctx
from .leeway import Leeway

SMALLEST_UBATCH_TOKENS = 64
USEFUL_CTX_CELLS = 4096


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it is, its choice in a word ("q8_0", "24 of 33 layers"), and the settings with it taken."""

    kind: AdviceKind
    detail: str
    settings: LoadSettings


Propose = Callable[[Attempts, LoadSettings, Leeway], Step | None]


def fewer_sequences(attempts: Attempts, settings: LoadSettings, _leeway: Leeway) -> Step | None:
    """As many sequences as fit, at least one."""
    if settings.n_seq_max <= 1:
        return None
    choices = _halvings(settings.n_seq_max, 1)
    n = next((n for n in choices if attempts.fits(replace(settings, n_seq_max=n))), 1)
    return Step(AdviceKind.FEWER_SEQUENCES, f"{n:,}", replace(settings, n_seq_max=n))


def sliding_window(_attempts: Attempts, settings: LoadSettings, _leeway: Leeway) -> Step | None:
    """Layers with a sliding window remember only that."""
    if not settings.swa_full:
        return None
    return Step(AdviceKind.SLIDING_WINDOW, "", replace(settings, swa_full=False))


def smaller_ubatch(attempts: Attempts, settings: LoadSettings, _leeway: Leeway) -> Step | None:
    """The largest ubatch that fits, at least 64 tokens: below, prompts are read slowly."""
    choices = _halvings(settings.n_ubatch_tokens, SMALLEST_UBATCH_TOKENS)
    if not choices:
        return None
    n = next((n for n in choices if attempts.fits(replace(settings, n_ubatch_tokens=n))), choices[-1])
    return Step(AdviceKind.SMALLER_UBATCH, f"{n:,}", replace(settings, n_ubatch_tokens=n))


def flash_attention(_attempts: Attempts, settings: LoadSettings, _leeway: Leeway) -> Step | None:
    """Attention in one step, without the scores of all cells."""
    if settings.flash_attention is not FlashAttention.OFF:
        return None
    return Step(AdviceKind.FLASH_ATTENTION, "on", replace(settings, flash_attention=FlashAttention.ON))


def experts_to_cpu(attempts: Attempts, settings: LoadSettings, leeway: Leeway) -> Step | None:
    """The experts of as few layers as needed."""
    most = leeway.most_expert_layers
    if not _uses_gpu(attempts, settings, leeway) or settings.n_cpu_moe_layers >= most:
        return None
    n = fewest_cpu_experts(attempts, settings, most) or most
    of = f" of {most:,}" if leeway.n_expert_layers is not None else ""
    return Step(AdviceKind.EXPERTS_TO_CPU, f"{n:,}{of} layers", replace(settings, n_cpu_moe_layers=n))


def more_gpu_layers(attempts: Attempts, settings: LoadSettings, leeway: Leeway) -> Step | None:
    """As many more layers as the GPUs still hold."""
    n_now = n_offloaded(settings, leeway.most_layers)
    if not attempts.gpus or n_now >= leeway.most_layers:
        return None
    everything = replace(settings, n_gpu_layers=None)
    if not attempts.fits(everything):
        n = most_gpu_layers(attempts, everything, leeway.most_layers)
        if n <= n_now:
            return None
        return _gpu_layers(AdviceKind.MORE_GPU_LAYERS, settings, n, leeway)
    return _gpu_layers(AdviceKind.MORE_GPU_LAYERS, settings, leeway.most_layers, leeway)


def fewer_gpu_layers(attempts: Attempts, settings: LoadSettings, leeway: Leeway) -> Step | None:
    """As many layers as the GPUs hold."""
    if not _uses_gpu(attempts, settings, leeway):
        return None
    n = most_gpu_layers(attempts, settings, leeway.most_layers)
    return _gpu_layers(AdviceKind.FEWER_GPU_LAYERS, settings, n, leeway)


def smaller_context(attempts: Attempts, settings: LoadSettings, _leeway: Leeway) -> Step | None:
    """The largest context that fits; where none does, a small one that is still of use."""
    n_now = settings.n_ctx_cells or 0
    least = min(USEFUL_CTX_CELLS, n_now // 2 // CELL_STEP * CELL_STEP)
    n = largest_ctx(attempts, settings, n_now) or least
    if not 0 < n < n_now:
        return None
    return Step(AdviceKind.SMALLER_CONTEXT, f"{n:,}", replace(settings, n_ctx_cells=n))


def eight_bit_kv(attempts: Attempts, settings: LoadSettings, _leeway: Leeway) -> Step | None:
    """Keys and values in 8 bits: a loss that is hard to measure."""
    return _kv_type(attempts, settings, KvType.Q8_0, UNQUANTIZED)


def four_bit_kv(attempts: Attempts, settings: LoadSettings, _leeway: Leeway) -> Step | None:
    """Keys and values in 4 bits: a loss that shows."""
    return _kv_type(attempts, settings, KvType.Q4_0, UNQUANTIZED | {KvType.Q8_0, KvType.Q5_1, KvType.Q5_0})


# Most harmless first, as in AdviceKind.
PROPOSALS: tuple[Propose, ...] = (
    fewer_sequences,
    sliding_window,
    smaller_ubatch,
    flash_attention,
    experts_to_cpu,
    more_gpu_layers,
    fewer_gpu_layers,
    smaller_context,
    eight_bit_kv,
    four_bit_kv,
)


def with_kv_type(settings: LoadSettings, kv_type: KvType) -> LoadSettings:
    """Return `settings` with keys and values of `kv_type`; quantized values need flash attention."""
    is_off = settings.flash_attention is FlashAttention.OFF
    flash = FlashAttention.ON if is_off and kv_type not in UNQUANTIZED else settings.flash_attention
    return replace(settings, type_k=kv_type, type_v=kv_type, flash_attention=flash)


def _kv_type(attempts: Attempts, settings: LoadSettings, kv_type: KvType, larger: frozenset[KvType]) -> Step | None:
    if settings.type_k not in larger or settings.type_v not in larger:
        return None
    changed = with_kv_type(settings, kv_type)
    if attempts.attempt(changed) is None:
        return None
    return Step(AdviceKind.KV_TYPE, kv_type.value, changed)


def _gpu_layers(kind: AdviceKind, settings: LoadSettings, n: int, leeway: Leeway) -> Step:
    if leeway.n_layers is None:
        return Step(kind, f"{n:,} layers", replace(settings, n_gpu_layers=n))
    chosen = None if n >= leeway.n_layers else n
    return Step(kind, f"{n:,} of {leeway.n_layers:,} layers", replace(settings, n_gpu_layers=chosen))


def _uses_gpu(attempts: Attempts, settings: LoadSettings, leeway: Leeway) -> bool:
    return bool(attempts.gpus) and n_offloaded(settings, leeway.most_layers) > 0


def _halvings(value: int, least: int) -> list[int]:
    """Return the halves of `value`, the halves of those and so on, down to `least`."""
    halves: list[int] = []
    while value > least:
        value = max(least, value // 2)
        halves.append(value)
    return halves
