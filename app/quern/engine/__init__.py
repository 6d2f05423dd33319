"""Turns a model file into a stream of tokens: one engine thread, one KV cache, requests in order."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .build import engine_build as engine_build
    from .build import engine_version as engine_version
    from .build import has_gpu_backend as has_gpu_backend
    from .engine import Engine as Engine
    from .errors import CannotChat as CannotChat
    from .errors import ContextNotCreatable as ContextNotCreatable
    from .errors import EngineBroken as EngineBroken
    from .errors import ModelFileChanged as ModelFileChanged
    from .errors import ModelNotLoadable as ModelNotLoadable
    from .errors import NotNumbers as NotNumbers
    from .errors import PromptEmpty as PromptEmpty
    from .errors import PromptTooLong as PromptTooLong
    from .errors import SamplingInvalid as SamplingInvalid
    from .errors import UnknownArchitecture as UnknownArchitecture
    from .errors import VocabularyUnusable as VocabularyUnusable
    from .facts import EngineFacts as EngineFacts
    from .generation import EventSource as EventSource
    from .generation import Generation as Generation
    from .loading import load_engine as load_engine
    from .refusal import error_from_last_words as error_from_last_words
    from .request import CompletionRequest as CompletionRequest

__all__ = [
    "CannotChat",
    "CompletionRequest",
    "ContextNotCreatable",
    "Engine",
    "EngineBroken",
    "EngineFacts",
    "EventSource",
    "Generation",
    "ModelFileChanged",
    "ModelNotLoadable",
    "NotNumbers",
    "PromptEmpty",
    "PromptTooLong",
    "SamplingInvalid",
    "UnknownArchitecture",
    "VocabularyUnusable",
    "engine_build",
    "engine_version",
    "error_from_last_words",
    "has_gpu_backend",
    "load_engine",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "CannotChat": "errors",
        "CompletionRequest": "request",
        "ContextNotCreatable": "errors",
        "Engine": "engine",
        "EngineBroken": "errors",
        "EngineFacts": "facts",
        "EventSource": "generation",
        "Generation": "generation",
        "ModelFileChanged": "errors",
        "ModelNotLoadable": "errors",
        "NotNumbers": "errors",
        "PromptEmpty": "errors",
        "PromptTooLong": "errors",
        "SamplingInvalid": "errors",
        "UnknownArchitecture": "errors",
        "VocabularyUnusable": "errors",
        "engine_build": "build",
        "engine_version": "build",
        "error_from_last_words": "refusal",
        "has_gpu_backend": "build",
        "load_engine": "loading",
    },
)
