"""What the formulas of fit need to know of a model, from its header alone."""

from dataclasses import dataclass

from quern.fit.errors import FitUnknown
from quern.gguf import ModelHeader

from .architecture import ENCODERS, MEMORYLESS, NOT_CAUSAL, check_architecture
from .attention_shape import LatentAttention, read_heads, read_latent
from .cache_plan import LayerPlan, attends, plan_caches, read_layer_kv
from .embedding_shape import EmbeddingShape, read_embeddings
from .feed_forward import ExpertShape, FeedForward, read_experts, read_feed_forward
from .graph_details import GraphDetails, read_graph_details
from .indexer import Indexer, read_indexer
from .layer import Layer
from .recurrent_layer import RecurrentShape, read_recurrent, recurrent_layers
from .shape_keys import MOST_LAYERS, UINT32_MAX, ShapeKeys
from .sliding_window import WindowKind, read_window
from .state import states_by_layer


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """One model's shape, as llama.cpp will run it.

    `layers` has one entry a layer, those for further tokens (nextn) at the end: n_layer of them run, n_layer_all are
    there. Layers alike are the same object; `kinds` are the different ones and `kind_of` gives each layer's index in
    them, so that formulas need not be evaluated for each layer. A model may run its blocks more than once (nanbeige,
    hrm_text), each time as a layer with caches of its own, and graniteswitch has one layer more than blocks.

    `n_ctx_train` is in tokens, 0 where the header says 0. `n_swa` is the sliding window in tokens, `window` its kind.
    `per_sequence` says that each sequence has its own cells even where they are asked to be shared (deepseek4).
    `has_memory` is False for encoders and diffusion models; `is_causal` and `pooling_type` (`attention.causal`,
    `pooling_type`, None where not said) are the header's. `has_encoder` makes llama.cpp hand back a whole batch.
    `details` are for the computation graph alone.
    """

    architecture: str
    n_ctx_train: int
    n_layer: int
    layers: tuple[Layer, ...]
    kinds: tuple[Layer, ...]
    kind_of: tuple[int, ...]
    embeddings: EmbeddingShape
    latent: LatentAttention | None
    experts: ExpertShape
    recurrent: RecurrentShape
    indexer: Indexer | None
    window: WindowKind
    n_swa: int
    per_sequence: bool
    has_memory: bool
    has_encoder: bool
    is_causal: bool
    pooling_type: int | None
    details: GraphDetails

    @property
    def n_layer_all(self) -> int:
        """Layers with the nextn ones; llama.cpp counts the output as one more when it offloads."""
        return len(self.layers)

    @property
    def n_embd(self) -> int:
        """Width of the residual stream."""
        return self.embeddings.n_embd

    @property
    def n_vocab(self) -> int:
        """Entries of the vocabulary, logits of one token."""
        return self.embeddings.n_vocab


def shape_of(model: ModelHeader) -> ModelShape:
    """Return the shape of `model`, as llama-model.cpp (load_hparams) and the architecture's load_arch_hparams read it.

    Raises FitUnknown where a key is missing, has the wrong type or says what cannot be, and for an architecture that
    the engine does not run.
    """
    keys = ShapeKeys(model)
    check_architecture(keys.architecture)
    block_count = keys.positive("block_count", most=MOST_LAYERS)
    n_nextn = _nextn(keys, block_count)
    embeddings = read_embeddings(keys)
    heads = read_heads(keys, embeddings.n_embd, block_count)
    n_layer = heads.n_layer - (1 if heads.router_layer is not None else n_nextn)
    _check_blocks(keys, n_layer)
    experts = read_experts(keys)
    feed_forward = _for_all_layers(read_feed_forward(keys, experts, block_count), heads.n_layer)
    recurrent = recurrent_layers(keys, heads, feed_forward.n_ff, n_layer)
    n_ctx_train = keys.count("context_length", most=UINT32_MAX)
    plan = LayerPlan(
        n_layer=n_layer,
        heads=heads,
        window=read_window(keys, n_layer, heads.n_layer, recurrent),
        recurrent=recurrent,
        state=read_recurrent(keys, heads, embeddings.n_embd),
        latent=read_latent(keys),
        indexer=read_indexer(keys, n_ctx_train, n_layer, heads.n_layer),
        n_ff=feed_forward.n_ff,
        n_layer_kv=read_layer_kv(keys, heads.n_layer),
        compress_ratios=_compress_ratios(keys, heads.n_layer),
    )
    kinds, kind_of = _kinds(keys, plan, feed_forward)
    return ModelShape(
        architecture=keys.architecture,
        n_ctx_train=n_ctx_train,
        n_layer=n_layer,
        layers=tuple(kinds[index] for index in kind_of),
        kinds=kinds,
        kind_of=kind_of,
        embeddings=embeddings,
        latent=plan.latent,
        experts=experts,
        recurrent=plan.state,
        indexer=plan.indexer,
        window=plan.window.kind,
        n_swa=plan.window.n_swa,
        per_sequence=keys.architecture == "deepseek4",
        has_memory=keys.architecture not in MEMORYLESS,
        has_encoder=keys.architecture in ENCODERS,
        is_causal=keys.architecture not in NOT_CAUSAL and keys.flag("attention.causal", default=True),
        pooling_type=keys.count("pooling_type") if keys.has("pooling_type") else None,
        details=read_graph_details(keys),
    )


def _nextn(keys: ShapeKeys, block_count: int) -> int:
    """How many of the last blocks are for further tokens and are not run for chat."""
    n_nextn = keys.count("nextn_predict_layers", 0)
    if n_nextn > block_count:
        raise FitUnknown(f"its header counts {n_nextn:,} of {block_count:,} layers as extra ones")
    if keys.architecture == "deepseek4" and n_nextn:
        return n_nextn if f"blk.{block_count - n_nextn}.nextn.eh_proj.weight" in keys.tensors else 0
    if keys.architecture == "hy_v4" and n_nextn and keys.count("attention.indexer.top_k", 0):
        raise FitUnknown("the engine does not run its extra layers together with sparse attention")
    return n_nextn


def _check_blocks(keys: ShapeKeys, n_layer: int) -> None:
    """Raise FitUnknown where the blocks are not as many as the architecture needs."""
    if keys.architecture == "t5" and keys.count("decoder_block_count", n_layer) > n_layer:
        raise FitUnknown("its header has more blocks in the decoder than in the encoder, which the engine does not run")
    if keys.architecture == "hrm_text":
        per_stack, high, low = (keys.count(f"hrm.{name}") for name in ("layers_per_stack", "h_cycles", "l_cycles"))
        if per_stack * high * (low + 1) != n_layer:
            raise FitUnknown(f"its header has {n_layer:,} layers, and its cycles need {per_stack * high * (low + 1):,}")


def _compress_ratios(keys: ShapeKeys, n_layer_all: int) -> tuple[int, ...]:
    name = "attention.compress_ratios"
    if keys.architecture != "deepseek4":
        return ()
    if keys.length(name) < n_layer_all:
        raise FitUnknown(f"its header says for {keys.length(name):,} of {n_layer_all:,} layers how they compress")
    return tuple(keys.array(name, n_layer_all))


def _for_all_layers(blocks: FeedForward, n_layer_all: int) -> FeedForward:
    """Repeat the blocks' parts where they are run more than once; an extra layer has none."""

    def fill(values: tuple[int, ...]) -> tuple[int, ...]:
        times, rest = divmod(n_layer_all, len(values))
        return values * times + (0,) * rest

    return FeedForward(
        n_ff=fill(blocks.n_ff),
        n_ff_expert=fill(blocks.n_ff_expert),
        n_expert_used=fill(blocks.n_expert_used),
        has_experts=tuple(bool(value) for value in fill(blocks.has_experts)),
    )


def _kinds(keys: ShapeKeys, plan: LayerPlan, parts: FeedForward) -> tuple[tuple[Layer, ...], tuple[int, ...]]:
    """Return the different layers and, for each layer, the index of its kind."""
    caches, states = plan_caches(keys, plan), states_by_layer(keys, plan)
    n_run = plan.n_layer_all if plan.heads.router_layer is not None else plan.n_layer
    rows = zip(
        plan.heads.n_head,
        plan.heads.n_head_kv,
        plan.window.layers,
        plan.recurrent,
        parts.n_ff,
        parts.n_ff_expert,
        parts.n_expert_used,
        parts.has_experts,
        caches,
        states,
        [il >= n_run for il in range(plan.n_layer_all)],
        strict=True,
    )
    index_of: dict[tuple[object, ...], int] = {}
    kind_of = tuple([index_of.setdefault(row, len(index_of)) for row in rows])
    kinds: list[Layer] = []
    for index in range(len(index_of)):
        il = kind_of.index(index)
        kinds.append(
            Layer(
                n_head=plan.heads.n_head[il],
                n_head_kv=plan.heads.n_head_kv[il],
                key_length=plan.key_width(il),
                value_length=plan.value_width(il),
                slides=plan.window.layers[il],
                is_recurrent=plan.recurrent[il],
                attends=attends(keys.architecture, plan, il),
                is_nextn=il >= n_run,
                n_ff=parts.n_ff[il],
                n_ff_expert=parts.n_ff_expert[il],
                n_expert_used=parts.n_expert_used[il],
                has_experts=parts.has_experts[il],
                caches=caches[il],
                states=states[il],
            )
        )
    return tuple(kinds), kind_of
