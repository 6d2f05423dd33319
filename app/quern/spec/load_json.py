"""LoadSettings as JSON, for questions to workers and for the memory of what was proven."""

from math import isfinite
from typing import cast

from quern.base import JsonObject

from .load import ExtraBuffers, FlashAttention, KvType, LoadSettings


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
        "mlock": settings.mlock,
        "n_seq_max": settings.n_seq_max,
        "kv_unified": settings.kv_unified,
        "swa_full": settings.swa_full,
        "n_cpu_moe_layers": settings.n_cpu_moe_layers,
        "tensor_split": list(settings.tensor_split),
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
        mlock=document["mlock"] is True,
        n_seq_max=_count(document["n_seq_max"]),
        kv_unified=document["kv_unified"] is True,
        swa_full=document["swa_full"] is True,
        n_cpu_moe_layers=_count(document["n_cpu_moe_layers"]),
        tensor_split=_shares(document["tensor_split"]),
    )


def _count(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError(f"{value!r} is no count")
    return value


def _count_or_none(value: object) -> int | None:
    return None if value is None else _count(value)


def _shares(value: object) -> tuple[float, ...]:
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    shares = tuple(float(item) for item in items if isinstance(item, int | float) and isfinite(item) and item >= 0)
    if len(shares) < len(items):
        raise ValueError(f"{value!r} is no list of shares")
    return shares
