"""Models in which some or all layers keep a state (llama.cpp: mamba.cpp, jamba.cpp, falcon-h1.cpp and others)."""

from .block import Block, Dense, HeadNorm, Mixture, Residual, Rope, Shared, SharedWidth
from .decoder import Mixer, attention_of, decode
from .feed_forward import Experts, dense, mixture, shared_width
from .forward import Forward, Place
from .state import States
from .state_space import mamba, mamba2, plamo2_mamba, short_convolution
from .tensor import Tensor

_WIDE = Mixture(norms=True, is_dense_wide=True)
_JAMBA = Block(rope=Rope.NEVER, residual=Residual.BOTH_FIRST, mixture=Mixture(is_dense_wide=True))
_GRANITE = Block(mixture=_WIDE, shared=Shared.ADDED, shared_width=SharedWidth.SAID)
_FALCON = Block(mixture=None)
_PLAMO2 = Block(is_fused=True, head_norm=HeadNorm.EACH, norms_after=True, dense=Dense.HALVED, mixture=None)
_LFM2 = Block(head_norm=HeadNorm.EACH, residual=Residual.BOTH_FIRST, mixture=Mixture(is_biased=True, norms=True))
_NEMOTRON = Block(rope=Rope.NEVER)


def pure_mamba(graph: Forward) -> None:
    """A state in every layer and no feed-forward part."""
    states = States(graph)
    is_second = graph.shape.architecture == "mamba2"
    x = graph.embeddings
    for place in graph.places():
        normed = graph.like(x)
        mixed = mamba2(graph, states, normed, norms=True) if is_second else mamba(graph, states, normed, norms=False)
        if place.is_last:
            mixed, x = graph.outputs_of(mixed), graph.outputs_of(x)
        x = graph.like(mixed, x)
    graph.logits(graph.like(x))


def jamba(graph: Forward) -> None:
    """Mamba 1 or attention, then feed-forward."""
    states, attend = States(graph), attention_of(graph, _JAMBA)
    decode(graph, _JAMBA, _either(lambda _, x: mamba(graph, states, x, norms=True), attend))


def granite_hybrid(graph: Forward) -> None:
    """Mamba 2 or attention, then feed-forward."""
    states, attend = States(graph), attention_of(graph, _GRANITE)
    decode(graph, _GRANITE, _either(lambda _, x: mamba2(graph, states, x, norms=True), attend))


def plamo2(graph: Forward) -> None:
    """Its own kind of Mamba 2 or attention, then feed-forward."""
    states, attend = States(graph), attention_of(graph, _PLAMO2)
    decode(graph, _PLAMO2, _either(lambda _, x: plamo2_mamba(graph, states, x), attend))


def lfm2(graph: Forward) -> None:
    """A short convolution or attention, then feed-forward."""
    states, attend = States(graph), attention_of(graph, _LFM2)
    decode(graph, _LFM2, _either(lambda _, x: short_convolution(graph, states, x), attend))


def falcon_h1(graph: Forward) -> None:
    """Attention and Mamba 2 side by side, each on a norm of its own."""
    states, attend = States(graph), attention_of(graph, _FALCON)
    x = graph.embeddings
    for place in graph.places():
        seen = attend(place, graph.like(x))
        kept = mamba2(graph, states, graph.like(x), norms=True)
        both = graph.like(seen, kept)
        if place.is_last:
            both, x = graph.outputs_of(both), graph.outputs_of(x)
        x = graph.like(both, x)
        x = graph.like(dense(graph, Dense.GATED, graph.like(x), place.layer.n_ff), x)
    graph.logits(graph.like(x))


def nemotron_h(graph: Forward) -> None:
    """Each layer is one of Mamba 2, attention and feed-forward."""
    states, attend = States(graph), attention_of(graph, _NEMOTRON)
    x = graph.embeddings
    for place in graph.places():
        normed = graph.like(x)
        if place.layer.is_recurrent:
            mixed = mamba2(graph, states, normed, norms=True)
        elif place.layer.n_ff == 0:
            mixed = attend(place, normed)
        else:
            mixed = _nemotron_feed(graph, place, normed)
        x = graph.like(mixed, x)
    graph.logits(graph.outputs_of(graph.like(x)))


def _nemotron_feed(graph: Forward, place: Place, x: Tensor) -> Tensor:
    layer, experts = place.layer, graph.shape.experts
    if not layer.has_experts:
        return dense(graph, Dense.PLAIN, x, layer.n_ff)
    rules = Mixture(is_biased=True, has_gate=False, is_scaled=graph.has("ffn_up_exps.scale"))
    is_latent = graph.has("ffn_latent_down.weight")
    latent = graph.mm(x, experts.n_latent or graph.n_embd) if is_latent else x
    sizes = Experts(experts.n_expert, layer.n_expert_used, layer.n_ff_expert)
    mixed = mixture(graph, rules, sizes, latent, graph.mm(x, experts.n_expert))
    mixed = graph.mm(mixed, graph.n_embd) if is_latent else mixed
    block = Block(shared=Shared.ADDED, shared_width=SharedWidth.SAID)
    return graph.like(mixed, dense(graph, Dense.PLAIN, x, shared_width(graph, block, layer)))


def _either(recurrent: Mixer, attending: Mixer) -> Mixer:
    return lambda place, x: recurrent(place, x) if place.layer.is_recurrent else attending(place, x)
