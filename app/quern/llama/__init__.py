"""The native shore: llama.cpp's objects, one owner class each, guards in front of every call that could kill."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .abort import AbortSwitch as AbortSwitch
    from .backend import Backend as Backend
    from .backend import Device as Device
    from .backend import DeviceKind as DeviceKind
    from .batch import Batch as Batch
    from .context import Context as Context
    from .context import Decoded as Decoded
    from .context_params import ContextParams as ContextParams
    from .cuda import cuda_runtime_version as cuda_runtime_version
    from .dry_run import DryRun as DryRun
    from .dry_run import Measurement as Measurement
    from .errors import ContextRefused as ContextRefused
    from .errors import DecodeFailed as DecodeFailed
    from .errors import LibraryMissing as LibraryMissing
    from .errors import LoadRefused as LoadRefused
    from .errors import NativeError as NativeError
    from .ggml_type import KV_TYPE_NUMBERS as KV_TYPE_NUMBERS
    from .load_params import context_params_of as context_params_of
    from .load_params import model_params_of as model_params_of
    from .log import capture_log as capture_log
    from .memory import Memory as Memory
    from .memory_use import DeviceUse as DeviceUse
    from .memory_use import MemoryUse as MemoryUse
    from .memory_use import read_memory_use as read_memory_use
    from .model import Model as Model
    from .model import ModelShape as ModelShape
    from .model_params import ModelParams as ModelParams
    from .model_params import UnreadVocabulary as UnreadVocabulary
    from .projector import projector_use as projector_use
    from .sampler import SamplerChain as SamplerChain
    from .vocab import Vocab as Vocab

_HOMES = {
    "AbortSwitch": "abort",
    "Backend": "backend",
    "Batch": "batch",
    "Context": "context",
    "ContextParams": "context_params",
    "ContextRefused": "errors",
    "DecodeFailed": "errors",
    "Decoded": "context",
    "Device": "backend",
    "DeviceKind": "backend",
    "DeviceUse": "memory_use",
    "DryRun": "dry_run",
    "KV_TYPE_NUMBERS": "ggml_type",
    "LibraryMissing": "errors",
    "LoadRefused": "errors",
    "Measurement": "dry_run",
    "Memory": "memory",
    "MemoryUse": "memory_use",
    "Model": "model",
    "ModelParams": "model_params",
    "ModelShape": "model",
    "NativeError": "errors",
    "SamplerChain": "sampler",
    "UnreadVocabulary": "model_params",
    "Vocab": "vocab",
    "capture_log": "log",
    "context_params_of": "load_params",
    "cuda_runtime_version": "cuda",
    "projector_use": "projector",
    "read_memory_use": "memory_use",
    "model_params_of": "load_params",
}

__all__ = [
    "KV_TYPE_NUMBERS",
    "AbortSwitch",
    "Backend",
    "Batch",
    "Context",
    "ContextParams",
    "ContextRefused",
    "DecodeFailed",
    "Decoded",
    "Device",
    "DeviceKind",
    "DeviceUse",
    "DryRun",
    "LibraryMissing",
    "LoadRefused",
    "Measurement",
    "Memory",
    "MemoryUse",
    "Model",
    "ModelParams",
    "ModelShape",
    "NativeError",
    "SamplerChain",
    "UnreadVocabulary",
    "Vocab",
    "capture_log",
    "context_params_of",
    "cuda_runtime_version",
    "model_params_of",
    "projector_use",
    "read_memory_use",
]

__getattr__ = lazy_exports(__name__, _HOMES)
