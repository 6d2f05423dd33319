"""What a projector, an adapter or any derived model says of the model that it belongs to."""

from dataclasses import dataclass

from quern.gguf.reading.header import Header, TensorInfo

_MOST_BASE_MODELS = 16  # a merge names its parents; more are no use to anyone
_OWN_WIDTH = "mlp"  # projectors of the first LLaVA files declare the width of CLIP's text side instead of theirs


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseModel:
    """A model that a file was made from or for, as far as it says; `repository` is an address."""

    name: str | None = None
    organization: str | None = None
    repository: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectorFacts:
    """What a projector turns into what. `kinds` are llama.cpp's projector types ("gemma3").

    `n_embd` is the width of the embeddings that it makes: that of the model it belongs to (llama.cpp,
    tools/mtmd/mtmd.cpp, init), for models that take them in several layers at once (Qwen3-VL) that of one layer.
    """

    kinds: tuple[str, ...]
    n_embd: int | None
    sees: bool
    hears: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterFacts:
    """What an adapter changes: models of `architecture`. `rank` is the largest of its matrices, `alpha` its weight."""

    kind: str
    architecture: str
    rank: int | None
    alpha: float | None


def base_models(header: Header) -> tuple[BaseModel, ...]:
    """Return the models that `header` names as those its file was made from (`general.base_model.*`)."""
    count = min(header.integer("general.base_model.count") or 0, _MOST_BASE_MODELS)
    keys = [f"general.base_model.{number}" for number in range(count)]
    models = [
        BaseModel(
            name=header.string(f"{key}.name"),
            organization=header.string(f"{key}.organization"),
            repository=header.string(f"{key}.repo_url"),
        )
        for key in keys
    ]
    return tuple(model for model in models if model != BaseModel())


def projector_facts(header: Header) -> ProjectorFacts:
    """Return what `header`, that of a projector, says. Strange values count as absent."""
    keys = ("clip.projector_type", "clip.vision.projector_type", "clip.audio.projector_type")
    kinds = tuple(dict.fromkeys(kind for key in keys if (kind := header.string(key)) is not None))
    return ProjectorFacts(
        kinds=kinds,
        n_embd=_projector_width(header, kinds),
        sees=header.boolean("clip.has_vision_encoder") or False,
        hears=header.boolean("clip.has_audio_encoder") or False,
    )


def adapter_facts(header: Header) -> AdapterFacts:
    """Return what `header`, that of an adapter, says. Strange values count as absent."""
    ranks = [min(tensor.dimensions) for tensor in header.tensors if _is_lora_a(tensor)]
    return AdapterFacts(
        kind=header.string("adapter.type") or "",
        architecture=header.string("general.architecture") or "",
        rank=max(ranks, default=None),
        alpha=header.real("adapter.lora.alpha"),
    )


def _projector_width(header: Header, kinds: tuple[str, ...]) -> int | None:
    if kinds == (_OWN_WIDTH,):
        outputs = (tensor for tensor in header.tensors if tensor.name == "mm.2.weight" and len(tensor.dimensions) == 2)
        return next((tensor.dimensions[1] for tensor in outputs), None)
    return header.integer("clip.vision.projection_dim") or header.integer("clip.audio.projection_dim")


def _is_lora_a(tensor: TensorInfo) -> bool:
    return tensor.name.endswith(".lora_a") and len(tensor.dimensions) == 2
