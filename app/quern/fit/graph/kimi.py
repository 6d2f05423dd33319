"""Kimi's delta attention: convolutions of queries, keys and values before a delta net (llama.cpp: kimi-linear.cpp)."""

from .attention import Attention
from .block import Block, Mixture, Shared, SharedWidth
from .decoder import Mixer, decode
from .delta import delta_net
from .forward import Forward, Place
from .latent import latent_heads, latent_of, look_absorbed, query_source
from .state import States
from .state_space import join
from .tensor import Tensor

_KIMI = Block(mixture=Mixture(is_biased=True, norms=True), shared=Shared.ADDED)
_BAILING = Block(
    mixture=Mixture(is_biased=True), shared=Shared.ADDED, shared_width=SharedWidth.SAID_OR_EXPERTS, crops_late=True
)


def kimi_linear(graph: Forward) -> None:
    """Delta attention or latent attention, which knows no positions."""
    attention = Attention(graph)

    def attend(place: Place, x: Tensor) -> Tensor:
        heads = latent_heads(graph, place, x, x, turns=False)
        return graph.mm(look_absorbed(graph, attention, place, heads), graph.n_embd)

    decode(graph, _KIMI, _mixer(graph, attend))


def bailingmoe3(graph: Forward) -> None:
    """Delta attention with whole gates, or latent attention with a gate for each head."""
    attention, latent = Attention(graph), latent_of(graph)

    def attend(place: Place, x: Tensor) -> Tensor:
        layer, n_tokens = place.layer, x.ne[1]
        source = query_source(graph, x, latent.q_rank)
        seen = look_absorbed(graph, attention, place, latent_heads(graph, place, x, source))
        gate = graph.like(graph.view(graph.mm(x, layer.n_head), 1, layer.n_head, n_tokens))
        heads = graph.view(seen, seen.ne[0] // layer.n_head, layer.n_head, n_tokens)
        return graph.mm(graph.make(seen.ne, graph.like(heads, gate)), graph.n_embd)

    decode(graph, _BAILING, _mixer(graph, attend, is_low_rank=False))


def _mixer(graph: Forward, attending: Mixer, *, is_low_rank: bool = True) -> Mixer:
    states = States(graph)

    def mix(place: Place, x: Tensor) -> Tensor:
        if not place.layer.is_recurrent:
            return attending(place, x)
        if is_low_rank:
            graph.expand(x)
        return delta_attention(graph, states, place, x, is_low_rank=is_low_rank)

    return mix


def delta_attention(graph: Forward, states: States, place: Place, x: Tensor, *, is_low_rank: bool = True) -> Tensor:
    """Linear attention with a gate for each element of the state; `is_low_rank` makes gates of two matrices each."""
    shape, n_head = graph.shape.recurrent, place.layer.n_head
    width, n_tokens, n_seqs = shape.kda_head_dim, states.n_seq_tokens, states.n_seqs
    heads, d_inner = (width, n_head, n_tokens, n_seqs), width * n_head
    kept = states.rows(shape.n_state_r)
    q, k, v = (_convolved(graph, states, kept, graph.mm(x, d_inner)) for _ in range(3))
    q, k = (graph.like(graph.view(part, *heads)) for part in (q, k))
    decay = graph.mm(graph.mm(x, width) if is_low_rank else x, d_inner)
    decay = graph.like(graph.view(decay, width, n_head, graph.n_tokens))
    beta = graph.like(graph.view(graph.mm(x, n_head), 1, n_head, n_tokens, n_seqs))
    state = states.rows(shape.n_state_s)
    result = delta_net(graph, (q, k, graph.view(v, *heads)), graph.view(decay, *heads), beta, state)
    out = graph.make(heads, graph.view(result, *heads))
    flat = (width, n_head, graph.n_tokens)
    gate = graph.like(graph.view(graph.mm(graph.mm(x, width) if is_low_rank else x, d_inner), *flat))
    gated = graph.like(graph.like(graph.view(out, *flat)), gate)
    return graph.mm(graph.make((d_inner, graph.n_tokens), gated), graph.n_embd)


def _convolved(graph: Forward, states: States, kept: Tensor, x: Tensor) -> Tensor:
    """A third of what is kept belongs to each of the three convolutions."""
    width = x.ne[0]
    n_kept = kept.ne[0] // (3 * width)
    third = graph.view(kept, n_kept * width, states.n_seqs)
    joined = join(graph, states, third, graph.view(x, width, states.n_seq_tokens, states.n_seqs))
    convolved = graph.make((width, states.n_seq_tokens, states.n_seqs), joined)
    return graph.like(graph.view(convolved, width, graph.n_tokens))
