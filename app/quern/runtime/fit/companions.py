"""The files that are loaded with a model: a projector, a draft model, adapters; and whether they belong to it."""

from dataclasses import dataclass
from pathlib import Path

from quern.base import QuernError
from quern.fit import FitSubject
from quern.gguf import (
    FileKind,
    GgufTruncated,
    Header,
    ModelHeader,
    facts_of,
    find_shards,
    read_model_header,
)
from quern.runtime.fit.adapter_match import check_adapter

# llama.cpp refuses a draft model whose vocabulary differs by more tokens (common/speculative.cpp).
MOST_VOCABULARY_DIFFERENCE_TOKENS = 128

_KIND_WORDS = {
    FileKind.MODEL: "a model",
    FileKind.PROJECTOR: "a projector (mmproj)",
    FileKind.ADAPTER: "an adapter (LoRA)",
    FileKind.VOCABULARY: "a vocabulary without weights",
    FileKind.IMATRIX: "an importance matrix",
}


@dataclass(eq=False)
class WrongCompanion(QuernError):
    """A good GGUF file of another kind than what it was given for."""

    path: Path
    found: FileKind
    wanted: FileKind

    sentence = '"{path.name}" is not {wanted_text} but {found_text}.'
    advice = "Choose another .gguf file for it."

    def values(self) -> dict[str, object]:
        """Return the fields, and both kinds in words."""
        words = {"found_text": _KIND_WORDS[self.found], "wanted_text": _KIND_WORDS[self.wanted]}
        return {**super().values(), **words}


@dataclass(eq=False)
class ForeignDraft(QuernError):
    """A draft model that does not speak the model's language; `reason` is a clause without a full stop."""

    path: Path
    reason: str

    sentence = '"{path.name}" cannot draft for this model: {reason}.'
    advice = "Choose a smaller model of the same family, which has the same vocabulary."


@dataclass(eq=False)
class ForeignAdapter(QuernError):
    """An adapter that was made for another architecture."""

    path: Path
    architecture: str
    expected: str

    sentence = '"{path.name}" is an adapter for {architecture} models, and this is a {expected} model.'
    advice = "Choose an adapter that was trained on this model."


@dataclass(frozen=True, slots=True, kw_only=True)
class Companions:
    """What is loaded with a model."""

    projector: Path | None = None
    draft: Path | None = None
    adapters: tuple[Path, ...] = ()


ALONE = Companions()


def read_subject(path: Path, companions: Companions) -> FitSubject:
    """Return the headers of the model at `path` and of its companions.

    Raises quern.gguf's errors, WrongCompanion, ForeignDraft, ForeignAdapter or MisfitAdapter.
    """
    model = _of_kind(path, FileKind.MODEL)
    projector = None if companions.projector is None else _companion(companions.projector, FileKind.PROJECTOR)
    draft = None if companions.draft is None else _draft(companions.draft, model)
    adapters = tuple(_adapter(adapter, model) for adapter in companions.adapters)
    return FitSubject(model=model, projector=projector, draft=draft, adapters=adapters)


def _of_kind(path: Path, wanted: FileKind) -> ModelHeader:
    header = read_model_header(path)
    found = facts_of(header.first).kind
    if found is not wanted:
        raise WrongCompanion(path, found, wanted)
    return header


def _companion(path: Path, wanted: FileKind) -> ModelHeader:
    """Return the header of a whole file. The model's own was examined when it came into the library."""
    header = _of_kind(path, wanted)
    for part, found in zip(find_shards(path), header.shards, strict=True):
        if found.size_bytes < found.needed_bytes:
            raise GgufTruncated(part, found.needed_bytes, found.size_bytes)
    return header


def _draft(path: Path, model: ModelHeader) -> ModelHeader:
    draft = _companion(path, FileKind.MODEL)
    if (why := _why_foreign(model.first, draft.first)) is not None:
        raise ForeignDraft(path, why)
    return draft


def _why_foreign(model: Header, draft: Header) -> str | None:
    """Why the vocabularies do not match, as far as a header tells (common/speculative.cpp, are_compatible)."""
    if model.string("tokenizer.ggml.model") != draft.string("tokenizer.ggml.model"):
        return "its vocabulary is of another kind"
    sizes = [facts_of(header).n_vocab or 0 for header in (model, draft)]
    if abs(sizes[0] - sizes[1]) > MOST_VOCABULARY_DIFFERENCE_TOKENS:
        return f"its vocabulary has {sizes[1]:,} tokens and the model's has {sizes[0]:,}"
    keys = ("tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id")
    if any(model.integer(key) != draft.integer(key) for key in keys):
        return "its vocabulary begins or ends a text with another token"
    return None


def _adapter(path: Path, model: ModelHeader) -> ModelHeader:
    adapter = _companion(path, FileKind.ADAPTER)
    expected = model.first.string("general.architecture") or ""
    architecture = adapter.first.string("general.architecture") or "unnamed"
    if architecture != expected:
        raise ForeignAdapter(path, architecture, expected)
    check_adapter(path, adapter, model)
    return adapter
