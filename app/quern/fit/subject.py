"""What is to be loaded: a model and its companions, known by their headers."""

from dataclasses import dataclass, field

from quern.gguf import ModelHeader


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSubject:
    """Headers of a model, and of the projector, draft model and adapters that are loaded with it."""

    model: ModelHeader
    projector: ModelHeader | None = None
    draft: ModelHeader | None = None
    adapters: tuple[ModelHeader, ...] = field(default=())
