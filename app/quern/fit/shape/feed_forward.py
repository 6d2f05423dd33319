"""The feed-forward part of each layer: dense, or a mixture of experts."""

from collections.abc import Sequence
from dataclasses import dataclass

from quern.fit.errors import FitUnknown

from .architecture import names
from .shape_keys import MOST_EXPERTS, ShapeKeys

_ROUTER = "ffn_gate_inp.weight"
# Architectures whose first layers stay dense (those that heed leading_dense_block_count, src/models/*.cpp).
_DENSE_LEAD = names(
    "afmoe bailingmoe2 bailingmoe3 cohere2moe deepseek deepseek2 mistral4 deepseek2-ocr deepseek32 dots1 "
    "dots3note ernie4_5-moe exaone-moe glm-dsa glm4moe glm5-next hy_v4 kimi-k3 kimi-linear laguna lfm2moe "
    "minimax-m3"
)
_DENSE_THROUGHOUT = frozenset({"lfm2"})
_FORGETS_ONE_EXPERT = frozenset({"hunyuan_vl", "hunyuan-dense"})
_STEPPED = frozenset({"llama4", "ernie4_5-moe"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertShape:
    """The mixture of experts of a model; `n_expert` 0 means that it has none.

    `n_shared` experts that every token uses are `n_ff_shared` wide together (0: not said); `n_ff_chunk` is grovemoe's
    second kind of expert; `n_latent` the width at which experts work where it is not n_embd (kimi-k3, nemotron_h_moe).
    """

    n_expert: int = 0
    n_shared: int = 0
    n_ff_shared: int = 0
    n_ff_chunk: int = 0
    n_groups: int = 0
    n_latent: int = 0


@dataclass(frozen=True, slots=True)
class FeedForward:
    """One entry a layer: the width of a dense part, of one expert, how many experts a token uses, whether it has any.

    `n_ff_expert` is `n_ff` where the header gives no width of its own (mixtral and the like).
    """

    n_ff: tuple[int, ...]
    n_ff_expert: tuple[int, ...]
    n_expert_used: tuple[int, ...]
    has_experts: tuple[bool, ...]


def read_experts(keys: ShapeKeys) -> ExpertShape:
    """Return what all layers have in common. Raises FitUnknown."""
    n_expert = keys.count("expert_count", 0, most=MOST_EXPERTS)
    if keys.architecture in _FORGETS_ONE_EXPERT and n_expert <= 1:
        n_expert = 0
    if n_expert == 0:
        return ExpertShape()
    return ExpertShape(
        n_expert=n_expert,
        n_shared=keys.count("expert_shared_count", 0),
        n_ff_shared=keys.count("expert_shared_feed_forward_length", 0),
        n_ff_chunk=keys.count("expert_chunk_feed_forward_length", 0),
        n_groups=keys.count("expert_group_count", 0),
        n_latent=keys.count("expert_latent_length", 0) or keys.count("moe_latent_size", 0),
    )


def read_feed_forward(keys: ShapeKeys, experts: ExpertShape, n_layer_all: int) -> FeedForward:
    """Return the feed-forward parts of the blocks. Raises FitUnknown."""
    none = [0] * n_layer_all
    n_ff = keys.per_layer("feed_forward_length", n_layer_all, none)
    n_used = keys.per_layer("expert_used_count", n_layer_all, none) if experts.n_expert else none
    if max(n_used) > experts.n_expert or (experts.n_expert and max(n_used) == 0):
        raise FitUnknown(f"its header says that {max(n_used):,} of {experts.n_expert:,} experts are used")
    n_ff_expert = keys.per_layer("expert_feed_forward_length", n_layer_all, none) if experts.n_expert else none
    return FeedForward(
        n_ff=tuple(n_ff),
        n_ff_expert=tuple(own or dense for own, dense in zip(n_ff_expert, n_ff, strict=True)),
        n_expert_used=tuple(n_used),
        has_experts=tuple(_has_experts(keys, experts, n_layer_all)),
    )


def _has_experts(keys: ShapeKeys, experts: ExpertShape, n_layer_all: int) -> Sequence[bool]:
    """By the router's weights; in a header without tensors, by the architecture's rule."""
    if experts.n_expert == 0 or keys.architecture in _DENSE_THROUGHOUT:
        return [False] * n_layer_all
    if keys.tensors:
        return [f"blk.{il}.{_ROUTER}" in keys.tensors for il in range(n_layer_all)]
    first = keys.count("leading_dense_block_count", 0) if keys.architecture in _DENSE_LEAD else 0
    if keys.architecture in _STEPPED:
        step = keys.count("interleave_moe_layer_step")
        return [step > 0 and il >= first and (il + 1) % step == 0 for il in range(n_layer_all)]
    if keys.architecture == "nomic-bert-moe":
        step = keys.count("moe_every_n_layers", 0)
        return [step > 0 and il % step == 1 for il in range(n_layer_all)]
    return [il >= first for il in range(n_layer_all)]
