"""What can go wrong between a model file and its reply, as causes with fields."""

from dataclasses import dataclass
from pathlib import Path

from quern.base import QuernError


@dataclass(eq=False)
class ModelNotLoadable(QuernError):
    """llama.cpp refused the file; `reason` is llama.cpp's own."""

    path: Path
    reason: str

    sentence = "{path.name} could not be loaded: {reason}."
    advice = "Download the model again, or choose another file."


@dataclass(eq=False)
class UnknownArchitecture(QuernError):
    """The file is a model of a family that this build of llama.cpp does not know."""

    path: Path
    architecture: str

    sentence = "{path.name} is a model of the {architecture} family, which this engine does not know."
    advice = "Choose another model, or update Quern."


@dataclass(eq=False)
class VocabularyUnusable(QuernError):
    """The file's vocabulary is missing or contradicts itself."""

    path: Path
    reason: str

    sentence = "The vocabulary of {path.name} cannot be used: {reason}."
    advice = "Download the model again, or choose another file."


@dataclass(eq=False)
class CannotChat(QuernError):
    """The model loads but cannot continue a text (an encoder, an embedding model, a model without weights)."""

    path: Path
    reason: str

    sentence = "{path.name} cannot chat: {reason}."
    advice = "Choose a model that writes text."


@dataclass(eq=False)
class ContextNotCreatable(QuernError):
    """The model loaded, but its context (KV cache and compute buffers) could not be made."""

    reason: str

    sentence = "There is no room to run the model: {reason}."
    advice = "Choose a smaller context or a smaller model, or close other programs."


@dataclass(eq=False)
class PromptEmpty(QuernError):
    """A request without a single token."""

    sentence = "There is nothing to answer."
    advice = "Write a message first."


@dataclass(eq=False)
class PromptTooLong(QuernError):
    """A prompt that leaves no room for a reply."""

    n_prompt_tokens: int
    limit_tokens: int

    sentence = "The prompt is {n_prompt_tokens:,} tokens long, but the model has room for {limit_tokens:,}."
    advice = "Shorten it, start a new chat, or load the model with a larger context."


@dataclass(eq=False)
class SamplingInvalid(QuernError):
    """A sampling parameter outside its range."""

    name: str
    value: str

    sentence = "{value} is not a possible value of {name}."
    advice = "Choose another value."


@dataclass(eq=False)
class EngineBroken(QuernError):
    """The engine of a loaded model can no longer compute."""

    reason: str

    sentence = "The model stopped working: {reason}."
    advice = "Load the model again."


@dataclass(eq=False)
class ModelFileChanged(QuernError):
    """A file of the loaded model was written over on disk, and its weights with it."""

    path: Path

    sentence = "{path.name} was changed on disk while it was loaded, so the model stopped."
    advice = "Load the model again; if it was being downloaded or copied, wait until that is done."


@dataclass(eq=False)
class NotNumbers(QuernError):
    """The model computed NaN: the kernels that were chosen are broken on this machine, or the weights are."""

    sentence = "The model computed values that are not numbers."
    advice = "Load it with safer settings, or download it again."
