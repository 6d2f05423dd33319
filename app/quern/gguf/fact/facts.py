"""What a person and the rest of Quern want to know about a model, taken from its header."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from quern.gguf.reading.header import Header

from .companion import base_models, projector_facts
from .file_kind import FileKind
from .file_type import file_type_name


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingDefaults:
    """Sampling that the model's makers advise; None where they say nothing (or nothing sensible).

    Named as in SamplingParams; read from `general.sampling.*`.
    """

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    repeat_last_n_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """Facts about one model, all its shards together.

    `chat_templates` maps a name to jinja source; the main one is "default". `n_ctx_train` is in tokens.
    `garbled_keys` are metadata whose text is not UTF-8; their bad bytes were replaced. `n_projection` is a projector's
    width, which is the `n_embd` of the model it belongs to; `base_models` names what the file was made from.
    """

    name: str
    architecture: str
    parameter_count: int
    quantization: str
    size_bytes: int
    kind: FileKind
    n_ctx_train: int | None = None
    n_vocab: int | None = None
    n_layer: int | None = None
    n_embd: int | None = None
    chat_templates: Mapping[str, str] = field(default_factory=dict[str, str])
    sampling: SamplingDefaults = SamplingDefaults()
    bos_token_id: int | None = None
    eos_token_id: int | None = None
    licence: str | None = None
    garbled_keys: tuple[str, ...] = ()
    n_projection: int | None = None
    base_models: tuple[str, ...] = ()


def facts_of(header: Header) -> ModelFacts:
    """Return what `header` says, without touching the file. Never raises for strange values: they count as absent."""
    architecture = header.string("general.architecture") or ""
    kind = _kind(header)
    return ModelFacts(
        name=header.string("general.name") or "",
        architecture=architecture,
        parameter_count=sum(tensor.n_elements for tensor in header.tensors),
        quantization=_quantization(header),
        size_bytes=header.size_bytes,
        kind=kind,
        n_ctx_train=header.integer(f"{architecture}.context_length"),
        n_vocab=_n_vocab(header, architecture),
        n_layer=header.integer(f"{architecture}.block_count"),
        n_embd=header.integer(f"{architecture}.embedding_length"),
        chat_templates=_chat_templates(header),
        sampling=_sampling(header),
        bos_token_id=header.integer("tokenizer.ggml.bos_token_id"),
        eos_token_id=header.integer("tokenizer.ggml.eos_token_id"),
        licence=header.string("general.license"),
        garbled_keys=header.garbled_keys,
        n_projection=projector_facts(header).n_embd if kind is FileKind.PROJECTOR else None,
        base_models=tuple(base.repository or base.name or "" for base in base_models(header)),
    )


def _kind(header: Header) -> FileKind:
    declared = header.string("general.type")
    architecture = header.string("general.architecture")
    if declared == "adapter" or "adapter.type" in header.metadata:
        return FileKind.ADAPTER
    if declared == "imatrix" or "imatrix.chunk_count" in header.metadata:
        return FileKind.IMATRIX
    if declared == "mmproj" or architecture == "clip":
        return FileKind.PROJECTOR
    is_whole = (header.integer("split.count") or 0) <= 1
    if is_whole and not header.tensors and "tokenizer.ggml.model" in header.metadata:
        return FileKind.VOCABULARY
    return FileKind.MODEL


def _quantization(header: Header) -> str:
    number = header.integer("general.file_type")
    named = None if number is None else file_type_name(number)
    return named or _heaviest_type(header)


def _heaviest_type(header: Header) -> str:
    """Return the name of the tensor type that takes most bytes, or "" without tensors."""
    bytes_by_type: dict[str, int] = {}
    for tensor in header.tensors:
        bytes_by_type[tensor.type.name] = bytes_by_type.get(tensor.type.name, 0) + tensor.nbytes
    return max(bytes_by_type, key=lambda name: bytes_by_type[name], default="")


def _n_vocab(header: Header, architecture: str) -> int | None:
    """Rows of the embedding table are what the engine computes with; then the token list; then the declared size."""
    for tensor in header.tensors:
        if tensor.name == "token_embd.weight" and len(tensor.dimensions) == 2:
            return tensor.dimensions[1]
    return header.array_length("tokenizer.ggml.tokens") or header.integer(f"{architecture}.vocab_size")


def _chat_templates(header: Header) -> dict[str, str]:
    prefix = "tokenizer.chat_template"
    templates: dict[str, str] = {}
    for key, value in header.metadata.items():
        if isinstance(value, str) and value.strip() and (key == prefix or key.startswith(f"{prefix}.")):
            templates[key.removeprefix(prefix).removeprefix(".") or "default"] = value
    return templates


def _sampling(header: Header) -> SamplingDefaults:
    def real(name: str, low: float, high: float) -> float | None:
        value = header.real(f"general.sampling.{name}")
        return value if value is not None and math.isfinite(value) and low <= value <= high else None

    def whole(name: str, low: int) -> int | None:
        value = header.integer(f"general.sampling.{name}")
        return value if value is not None and low <= value <= 2**31 - 1 else None

    return SamplingDefaults(
        temperature=real("temp", 0.0, 100.0),
        top_k=whole("top_k", 0),
        top_p=real("top_p", 0.0, 1.0),
        min_p=real("min_p", 0.0, 1.0),
        repeat_penalty=real("penalty_repeat", 0.01, 100.0),
        repeat_last_n_tokens=whole("penalty_last_n", 0),
    )
