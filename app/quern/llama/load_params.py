"""LoadSettings in llama.cpp's terms. One place, so that a dry run measures what a load does."""

from quern.spec import ExtraBuffers, FlashAttention, LoadSettings

from .context_params import ContextParams
from .ggml_type import KV_TYPE_NUMBERS
from .model_params import ModelParams

FLASH_CHOICES = {FlashAttention.AUTO: None, FlashAttention.ON: True, FlashAttention.OFF: False}


def model_params_of(settings: LoadSettings, *, measures_only: bool = False) -> ModelParams:
    """Return how `settings` open a model."""
    return ModelParams(
        n_gpu_layers=None if settings.n_gpu_layers is None else max(0, settings.n_gpu_layers),
        allows_extra_buffers=settings.extra_buffers is ExtraBuffers.ALLOWED,
        uses_mmap=settings.mmap,
        locks_memory=settings.mlock,
        tensor_split=settings.tensor_split,
        n_cpu_moe_layers=settings.n_cpu_moe_layers,
        measures_only=measures_only,
    )


def context_params_of(settings: LoadSettings, *, offloads: bool) -> ContextParams:
    """Return how resolved `settings` make a context; `offloads` says whether a GPU takes part."""
    assert settings.n_ctx_cells is not None and settings.n_threads is not None, "resolved settings leave nothing open"
    return ContextParams(
        n_ctx_cells=settings.n_ctx_cells,
        n_batch_tokens=settings.n_batch_tokens,
        n_ubatch_tokens=settings.n_ubatch_tokens,
        n_threads=settings.n_threads,
        flash_attention=FLASH_CHOICES[settings.flash_attention],
        type_k=KV_TYPE_NUMBERS[settings.type_k],
        type_v=KV_TYPE_NUMBERS[settings.type_v],
        offloads=offloads,
        n_seq_max=settings.n_seq_max,
        is_unified=settings.kv_unified,
        keeps_whole_window=settings.swa_full,
    )
