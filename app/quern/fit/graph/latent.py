"""Latent attention: keys and values come out of one compressed row a token (llama.cpp: deepseek2.cpp, minicpm3.cpp)."""

from quern.fit.shape.attention_shape import LatentAttention

from .attention import Attention
from .block import Block, Dense, Mixture, Shared
from .decoder import Mixer, decode
from .forward import Forward, Place
from .tensor import Tensor

Heads = tuple[Tensor, Tensor, Tensor]  # queries, latents, keys

DEEPSEEK = Block(mixture=Mixture(is_biased=True, is_merged=True), shared=Shared.ADDED)


def deepseek2(graph: Forward) -> None:
    """The latent alone is kept; older files keep the keys and values made of it."""
    decode(graph, DEEPSEEK, absorbed(graph) if graph.shape.latent is not None else expanded(graph))


def minicpm3(graph: Forward) -> None:
    """Keys and values are kept in full."""
    decode(graph, Block(mixture=None), expanded(graph))


def plm(graph: Forward) -> None:
    """Keys and values are kept in full; queries are not compressed."""
    decode(graph, Block(dense=Dense.PLAIN, mixture=None), expanded(graph))


def absorbed(graph: Forward) -> Mixer:
    """Latent attention as a mixer: queries are brought into the latent's space, and what they see out of it."""
    attention, latent = Attention(graph), latent_of(graph)

    def mix(place: Place, x: Tensor) -> Tensor:
        heads = latent_heads(graph, place, x, query_source(graph, x, latent.q_rank))
        return graph.mm(look_absorbed(graph, attention, place, heads), graph.n_embd)

    return mix


def look_absorbed(graph: Forward, attention: Attention, place: Place, heads: Heads) -> Tensor:
    """What the queries see (build_attn with llm_graph_input_attn_k)."""
    q, compressed, k = heads
    graph.expand(q, compressed, k)
    return attention.latent(place.layer, q, k, compressed.ne[0], latent_of(graph).value_length)


def latent_of(graph: Forward) -> LatentAttention:
    """The latent attention that the model is known to have."""
    latent = graph.shape.latent
    assert latent is not None
    return latent


def latent_heads(graph: Forward, place: Place, x: Tensor, source: Tensor, *, turns: bool = True) -> Heads:
    """Queries, made of `source`, in the latent's space; the latents themselves; and both parts of the keys.

    `turns` says whether a part is turned by position.
    """
    latent, layer, n_tokens = latent_of(graph), place.layer, x.ne[1]
    rank, n_head = latent.kv_rank, layer.n_head
    n_rot = layer.key_length - rank
    heads = graph.mm(source, n_head * latent.key_length)
    plain = graph.make((rank, n_tokens, n_head), graph.view(heads, latent.key_length - n_rot, n_tokens, n_head))
    turned = graph.view(heads, n_rot, n_head, n_tokens)
    row = graph.mm(x, layer.key_length)
    compressed = graph.like(graph.view(row, rank, n_tokens))
    turned_k = graph.view(row, n_rot, 1, n_tokens)
    if turns:
        turned, turned_k = graph.like(turned, graph.positions), graph.like(turned_k, graph.positions)
    q = graph.make((layer.key_length, n_head, n_tokens), graph.view(plain, rank, n_head, n_tokens), turned)
    k = graph.make((layer.key_length, 1, n_tokens), graph.view(compressed, rank, 1, n_tokens), turned_k)
    return q, compressed, k


def expanded(graph: Forward) -> Mixer:
    """Keys and values are made of the latent and kept in full."""
    attention = Attention(graph)

    def mix(place: Place, x: Tensor) -> Tensor:
        details, layer, n_tokens = graph.shape.details, place.layer, x.ne[1]
        n_head, rank, n_rot = layer.n_head, details.kv_rank, details.n_rot
        n_plain, width_v = layer.key_length - n_rot, layer.value_length
        heads = graph.mm(query_source(graph, x, details.q_rank), n_head * layer.key_length)
        q = graph.like(graph.view(heads, layer.key_length, n_head, n_tokens), graph.positions)
        row = graph.mm(x, rank + n_rot)
        both = graph.mm(graph.like(graph.view(row, rank, n_tokens)), n_head * (n_plain + width_v))
        v = graph.make((width_v, n_head, n_tokens), graph.view(both, width_v, n_head, n_tokens))
        turned = graph.like(graph.view(row, n_rot, 1, n_tokens), graph.positions)
        repeated = graph.make((n_rot, n_head, n_tokens), turned)
        plain = graph.view(both, n_plain, n_head, n_tokens)
        k = graph.make((layer.key_length, n_head, n_tokens), plain, repeated)
        return graph.mm(attention(layer, q, k, v), graph.n_embd)

    return mix


def query_source(graph: Forward, x: Tensor, q_rank: int) -> Tensor:
    """What queries are made of: a latent of their own, or the stream."""
    return graph.like(graph.mm(x, q_rank)) if q_rank else x
