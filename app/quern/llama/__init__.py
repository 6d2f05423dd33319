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
    from .context import ContextParams as ContextParams
    from .context import Decoded as Decoded
    from .errors import ContextRefused as ContextRefused
    from .errors import DecodeFailed as DecodeFailed
    from .errors import LibraryMissing as LibraryMissing
    from .errors import LoadRefused as LoadRefused
    from .errors import NativeError as NativeError
    from .ggml_type import KV_TYPE_NUMBERS as KV_TYPE_NUMBERS
    from .log import capture_log as capture_log
    from .memory import Memory as Memory
    from .model import Model as Model
    from .model import ModelParams as ModelParams
    from .model import ModelShape as ModelShape
    from .sampler import SamplerChain as SamplerChain
    from .vocab import Vocab as Vocab

_HOMES = {
    "AbortSwitch": "abort",
    "Backend": "backend",
    "Batch": "batch",
    "Context": "context",
    "ContextParams": "context",
    "ContextRefused": "errors",
    "DecodeFailed": "errors",
    "Decoded": "context",
    "Device": "backend",
    "DeviceKind": "backend",
    "KV_TYPE_NUMBERS": "ggml_type",
    "LibraryMissing": "errors",
    "LoadRefused": "errors",
    "Memory": "memory",
    "Model": "model",
    "ModelParams": "model",
    "ModelShape": "model",
    "NativeError": "errors",
    "SamplerChain": "sampler",
    "Vocab": "vocab",
    "capture_log": "log",
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
    "LibraryMissing",
    "LoadRefused",
    "Memory",
    "Model",
    "ModelParams",
    "ModelShape",
    "NativeError",
    "SamplerChain",
    "Vocab",
    "capture_log",
]

__getattr__ = lazy_exports(__name__, _HOMES)
