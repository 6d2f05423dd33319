"""Frozen values that every room speaks."""

from .generation import (
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    PromptProcessed,
    TextProduced,
    Timings,
    Usage,
)
from .load import ExtraBuffers, FlashAttention, KvType, LoadSettings
from .load_json import settings_from_json, settings_to_json
from .sampling import SamplingParams
from .text import PieceKind, TextPiece

__all__ = [
    "ExtraBuffers",
    "FinishReason",
    "FlashAttention",
    "GenerationEvent",
    "GenerationFailed",
    "GenerationFinished",
    "KvType",
    "LoadSettings",
    "PieceKind",
    "PromptProcessed",
    "SamplingParams",
    "TextPiece",
    "TextProduced",
    "Timings",
    "Usage",
    "settings_from_json",
    "settings_to_json",
]
