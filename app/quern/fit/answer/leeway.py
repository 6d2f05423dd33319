"""How far a model's load can be changed, as far as its header decides that."""

from dataclasses import dataclass

from quern.fit.shape.model_shape import ModelShape
from quern.gguf import ModelHeader

_MOST_LAYERS = 512  # llama-hparams.h, LLAMA_MAX_LAYERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Leeway:
    """`n_layers` can be offloaded, the output counted as one; the experts of the first `n_expert_layers` layers can be
    kept on the CPU (0: it has none). `n_parameters` are the model's weights, by number. None for what is not known.
    """

    n_layers: int | None = None
    n_expert_layers: int | None = None
    n_parameters: int | None = None

    @property
    def most_layers(self) -> int:
        """No model has more layers to offload."""
        return _MOST_LAYERS + 1 if self.n_layers is None else self.n_layers

    @property
    def most_expert_layers(self) -> int:
        """No more layers can have experts."""
        return _MOST_LAYERS if self.n_expert_layers is None else self.n_expert_layers


def leeway_of(shape: ModelShape, model: ModelHeader | None = None) -> Leeway:
    """Return how far a model of `shape` can be changed; `model` tells how many parameters it has."""
    with_experts = [il + 1 for il, layer in enumerate(shape.layers) if layer.has_experts]
    n_parameters = None if model is None else sum(t.n_elements for shard in model.shards for t in shard.tensors)
    return Leeway(
        n_layers=shape.n_layer_all + 1,
        n_expert_layers=max(with_experts, default=0),
        n_parameters=n_parameters,
    )
