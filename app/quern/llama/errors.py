"""What the native library answers when it will not; `quern.engine.native` turns these into the engine's causes."""

from dataclasses import dataclass

from quern.base import QuernError


@dataclass(eq=False)
class NativeError(QuernError):
    """llama.cpp refused or failed; `reason` is its own last error line where it wrote one."""

    reason: str

    sentence = "llama.cpp: {reason}."
    advice = "Choose another model or other settings."


@dataclass(eq=False)
class LibraryMissing(NativeError):
    """The engine's shared libraries are not there or do not load."""

    sentence = "The engine could not be started: {reason}."
    advice = "Install Quern again."


@dataclass(eq=False)
class LoadRefused(NativeError):
    """llama_model_load_from_file returned NULL."""


@dataclass(eq=False)
class ContextRefused(NativeError):
    """llama_init_from_model returned NULL."""


@dataclass(eq=False)
class DecodeFailed(NativeError):
    """llama_decode returned a negative code."""
