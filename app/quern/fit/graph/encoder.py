"""Encoders (llama.cpp: src/models/bert.cpp, modern-bert.cpp, t5.cpp)."""

from dataclasses import replace

from .attention import Attention, cross_attention
from .block import Block, Dense, HeadNorm, Mixture, Norm, Rope
from .decoder import attend, decode, norm, project
from .feed_forward import dense, feed
from .forward import Forward
from .tensor import F16, F32, I32, Tensor

_TURNING = frozenset({"nomic-bert", "nomic-bert-moe", "jina-bert-v3"})
_PLAIN = frozenset({"bert", "nomic-bert-moe", "jina-bert-v3"})
_MODERN = Block(
    norm=Norm.LAYER,
    is_fused=True,
    fuses_whole_heads=True,
    dense=Dense.HALVED,
    norms_embeddings=Norm.LAYER,
    has_logits=False,
)
_T5 = Block()


def bert(graph: Forward) -> None:
    """Norms after each sum, not before; jina-bert-v2 sums and norms once more."""
    architecture = graph.shape.architecture
    is_jina_2 = architecture == "jina-bert-v2"
    block = Block(
        rope=Rope.ALWAYS if architecture in _TURNING else Rope.NEVER,
        head_norm=HeadNorm.WHOLE if is_jina_2 else HeadNorm.NONE,
        head_norm_kind=Norm.LAYER,
        dense=Dense.PLAIN if architecture in _PLAIN else Dense.GATED,
        mixture=Mixture(has_gate=False, is_dense_wide=True),
    )
    attention = Attention(graph)
    x = graph.embeddings
    if architecture == "bert":
        x = graph.like(x, graph.make(x.ne, graph.positions))
    x = norm(graph, x, Norm.LAYER)
    for place in graph.places():
        seen = attend(graph, block, attention, place, x)
        if place.is_last:
            seen, x = graph.outputs_of(seen), graph.outputs_of(x)
        summed = norm(graph, graph.like(seen, x), Norm.LAYER)
        if is_jina_2:
            summed = norm(graph, graph.like(summed, x), Norm.LAYER)
        x = norm(graph, graph.like(feed(graph, block, place.layer, summed), summed), Norm.LAYER)
    graph.finish(x)


def modern_bert(graph: Forward) -> None:
    """As a decoder, with one fused matrix."""
    decode(graph, _MODERN)


def neo_bert(graph: Forward) -> None:
    """As a decoder, with one fused matrix."""
    decode(graph, replace(_MODERN, norm=Norm.RMS, norms_embeddings=Norm.NONE, fuses_whole_heads=False))


def t5_encoder(graph: Forward) -> None:
    """Scores get a bias by distance, so that flash attention is not used."""
    attention, n_tokens = Attention(graph), graph.n_tokens
    buckets = graph.input(n_tokens, n_tokens, element=I32)
    x = graph.embeddings
    for place in graph.places():
        layer = place.layer
        normed = graph.like(x)
        q, k, v = project(graph, _T5, place, normed)
        seen = attention.biased(layer, q, k, v, _distance_bias(graph, buckets, layer.n_head))
        x = _sum_and_feed(graph, place.is_last, graph.mm(seen, graph.n_embd), x, layer.n_ff)
    graph.finish(graph.like(x))


def t5_decoder(graph: Forward) -> None:
    """Looks at its own tokens with a bias by distance, then at what the encoder made of n_ctx_train others."""
    attention, n_tokens, n_encoded = Attention(graph), graph.n_tokens, graph.shape.n_ctx_train
    encoded = graph.input(graph.shape.embeddings.n_embd_inp, n_encoded)
    buckets = graph.input(graph.batch.n_kv, n_tokens, element=I32)
    mask = graph.input(n_encoded, n_tokens, element=F16 if graph.batch.has_flash else F32)
    x = graph.embeddings
    for place in graph.places():
        layer = place.layer
        normed = graph.like(x)
        q, k, v = project(graph, _T5, place, normed)
        seen = attention.biased(layer, q, k, v, _distance_bias(graph, buckets, layer.n_head))
        x = graph.like(graph.mm(seen, graph.n_embd), x)
        normed = graph.like(x)
        q = graph.view(graph.mm(normed, layer.key_length * layer.n_head), layer.key_length, layer.n_head, n_tokens)
        k = graph.view(
            graph.mm(encoded, layer.key_length * layer.n_head_kv), layer.key_length, layer.n_head_kv, n_encoded
        )
        v = graph.view(
            graph.mm(encoded, layer.value_length * layer.n_head_kv), layer.value_length, layer.n_head_kv, n_encoded
        )
        seen = cross_attention(graph, layer, q, k, v, mask)
        x = _sum_and_feed(graph, place.is_last, graph.mm(seen, graph.n_embd), x, layer.n_ff)
    graph.logits(graph.like(x))


def _sum_and_feed(graph: Forward, is_last: bool, seen: Tensor, x: Tensor, n_ff: int) -> Tensor:
    if is_last:
        seen, x = graph.outputs_of(seen), graph.outputs_of(x)
    summed = graph.like(seen, x)
    return graph.like(dense(graph, Dense.GATED, graph.like(summed), n_ff), summed)


def _distance_bias(graph: Forward, buckets: Tensor, n_head: int) -> Tensor:
    """A number a head for each pair of tokens (build_pos_bias)."""
    n_kv, n_tokens = buckets.ne
    rows = graph.make((n_head, n_kv * n_tokens), graph.view(buckets, n_kv * n_tokens))
    return graph.make((n_kv, n_tokens, n_head), rows)
