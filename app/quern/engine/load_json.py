"""LoadSettings as JSON, for a trial's question and for the memory of what was proven."""

from quern.base import JsonObject
from quern.spec import ExtraBuffers, FlashAttention, KvType, LoadSettings


def settings_to_json(settings: LoadSettings) -> JsonObject:
    """Return every field of `settings` as a JSON object."""
    return {
        "n_ctx_cells": settings.n_ctx_cells,
        "n_threads": settings.n_threads,
        "n_batch_tokens": settings.n_batch_tokens,
        "n_ubatch_tokens": settings.n_ubatch_tokens,
        "n_gpu_layers": settings.n_gpu_layers,
        "flash_attention": settings.flash_attention.value,
        "type_k": settings.type_k.value,
        "type_v": settings.type_v.value,
        "extra_buffers": settings.extra_buffers.value,
        "mmap": settings.mmap,
    }


def settings_from_json(document: JsonObject) -> LoadSettings:
    """Return the settings that `settings_to_json` wrote. Raises KeyError or ValueError for anything else."""
    return LoadSettings(
        n_ctx_cells=_count_or_none(document["n_ctx_cells"]),
        n_threads=_count_or_none(document["n_threads"]),
        n_batch_tokens=_count(document["n_batch_tokens"]),
        n_ubatch_tokens=_count(document["n_ubatch_tokens"]),
        n_gpu_layers=_count_or_none(document["n_gpu_layers"]),
        flash_attention=FlashAttention(document["flash_attention"]),
        type_k=KvType(document["type_k"]),
        type_v=KvType(document["type_v"]),
        extra_buffers=ExtraBuffers(document["extra_buffers"]),
        mmap=document["mmap"] is True,
    )


def _count(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError(f"{value!r} is no count")
    return value


def _count_or_none(value: object) -> int | None:
    return None if value is None else _count(value)
