"""Why a file cannot be used as a model."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from quern.base import QuernError

from .fact.file_kind import FileKind


@dataclass(eq=False)
class BadModelFile(QuernError):
    """The root of every reason for which the file at `path` cannot be used."""

    path: Path

    sentence = '"{path.name}" cannot be used as a model.'
    advice = "Choose another .gguf file."


@dataclass(eq=False)
class FileUnreadable(BadModelFile):
    """The file is gone, changed while it was read, or may not be opened; `reason` is a clause without a full stop."""

    reason: str

    sentence = '"{path.name}" cannot be read: {reason}.'
    advice = "Check that the file is still there and that you may open it, then try again."


@dataclass(eq=False)
class NotGguf(BadModelFile):
    """The bytes are something else than GGUF; `found` names it with its article ("a web page")."""

    found: str

    sentence = '"{path.name}" is not a GGUF model: it is {found}.'
    advice = "Choose a .gguf file; if this should be one, download it again."


@dataclass(eq=False)
class GgufUnsupported(BadModelFile):
    """A GGUF file of a version or byte order that the engine does not read; `found` names it ("version 1")."""

    found: str

    sentence = '"{path.name}" has an unsupported GGUF version or byte order: {found}.'
    advice = "Look for a newer conversion of this model (GGUF version 2 or 3, little-endian)."


@dataclass(eq=False)
class GgufDamaged(BadModelFile):
    """The header contradicts itself or the file; `reason` is a clause without a full stop."""

    reason: str

    sentence = '"{path.name}" is damaged: {reason}.'
    advice = "Download the model again, or look for another conversion of it."


@dataclass(eq=False)
class ShardsDisagree(GgufDamaged):
    """A part of a split model that is not what its place asks for; `reason` is a clause without a full stop."""

    sentence = '"{path.name}" does not belong to the other parts of the model: {reason}.'
    advice = "Put all parts of one model, and of one download, into one folder under their own names."


@dataclass(eq=False)
class GgufTruncated(BadModelFile):
    """The file ends too early: it needs at least `expected_bytes` and has `actual_bytes`."""

    expected_bytes: int
    actual_bytes: int

    sentence = '"{path.name}" is incomplete: it has {actual_bytes:,} of at least {expected_bytes:,} bytes.'
    advice = "Download the model again; the last download seems to have stopped early."


_KIND_SENTENCES: dict[FileKind, str] = {
    FileKind.MODEL: "a model",
    FileKind.PROJECTOR: "a projector (mmproj), which lets a model see or hear",
    FileKind.ADAPTER: "an adapter (LoRA), which changes a model",
    FileKind.VOCABULARY: "a vocabulary without weights",
    FileKind.IMATRIX: "an importance matrix, which helps to quantize a model",
}


@dataclass(eq=False)
class NotAModel(BadModelFile):
    """A good GGUF file that is not a model by itself."""

    kind: FileKind

    sentence = '"{path.name}" is not a model by itself but {kind_text}.'
    advice = "Choose the model's own .gguf file."

    def values(self) -> dict[str, object]:
        """Return the fields, and the kind in words as `kind_text`."""
        return {**super().values(), "kind_text": _KIND_SENTENCES[self.kind]}


@dataclass(eq=False)
class ShardMissing(BadModelFile):
    """A model split into several files of which `missing` (file names) are not beside the first."""

    missing: tuple[str, ...]

    sentence: ClassVar[str] = '"{path.name}" is one part of a model in several files, and {missing_text}.'
    advice = "Put all parts of the model into one folder."

    def values(self) -> dict[str, object]:
        """Return the fields, and what is missing in words as `missing_text`."""
        more = len(self.missing) - 1
        text = f'"{self.missing[0]}" is missing' if not more else f'"{self.missing[0]}" and {more} more are missing'
        return {**super().values(), "missing_text": text}


@dataclass(eq=False)
class NotFirstShard(BadModelFile):
    """A later part of a split model was opened; `first` is the name of the part to open."""

    first: str

    sentence = '"{path.name}" is not the first part of a model in several files.'
    advice = 'Open "{first}" instead.'
