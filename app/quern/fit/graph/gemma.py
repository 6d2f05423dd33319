"""Gemma 3n and 4: an embedding for each layer; 3n runs four streams (llama.cpp: gemma3n.cpp, gemma4.cpp)."""

from .attention import Attention
from .block import Dense, Mixture
from .feed_forward import dense, experts_of, mixture
from .forward import Forward, Place
from .tensor import I32, Tensor

# gemma3n.cpp and llama-hparams.h: fixed for all models of the kind.
_WIDTH_PER_LAYER = 256
_N_STREAMS = 4
_RANK = 64
_N_SPARSE = 10


def gemma4(graph: Forward) -> None:
    """One stream; each layer's own embedding is mixed in after it."""
    attention, width = Attention(graph), graph.shape.embeddings.n_embd_per_layer
    rows = _rows_for_all(graph, width) if width else None
    x = graph.like(graph.embeddings)
    by_layer = None if rows is None else _by_layer(graph, x, rows)
    for place in graph.places():
        seen = graph.like(graph.mm(_attend(graph, attention, place, graph.like(x)), graph.n_embd))
        summed = graph.like(seen, x)
        x = graph.like(graph.like(_feed(graph, place, summed)), summed)
        if by_layer is not None:
            own = graph.like(graph.mm(x, width))
            own = graph.like(own, graph.view(by_layer, width, graph.n_tokens))
            x = graph.like(x, graph.like(graph.mm(own, graph.n_embd)))
    graph.logits(graph.outputs_of(graph.like(x)))


def gemma3n(graph: Forward) -> None:
    """Four streams of which one is active; the others are predicted from it and corrected by it."""
    attention = Attention(graph)
    rows = _rows_for_all(graph, _WIDTH_PER_LAYER)
    x = graph.like(graph.embeddings)
    by_layer = _by_layer(graph, x, rows)
    streams = _spread(graph, x)
    for place in graph.places():
        predicted = _predict(graph, streams)
        active = graph.view(predicted, graph.n_embd, graph.n_tokens)
        activated = _gemma3n_layer(graph, attention, place, active)
        corrected = _correct(graph, predicted, active, activated)
        first = graph.like(graph.mm(graph.like(graph.view(corrected, *active.ne)), _WIDTH_PER_LAYER))
        first = graph.like(first, graph.view(by_layer, _WIDTH_PER_LAYER, graph.n_tokens))
        first = graph.like(graph.mm(first, graph.n_embd))
        rest = graph.like(graph.view(corrected, *active.ne, _N_STREAMS - 1), first)
        streams = graph.make((*active.ne, _N_STREAMS), graph.view(corrected, *active.ne), rest)
    graph.logits(graph.like(graph.outputs_of(_gather(graph, streams))))


def _attend(graph: Forward, attention: Attention, place: Place, x: Tensor) -> Tensor:
    """Layers without a cache of their own make queries only."""
    layer, n_tokens = place.layer, graph.n_tokens
    q = graph.view(graph.mm(x, layer.key_length * layer.n_head), layer.key_length, layer.n_head, n_tokens)
    q = graph.like(graph.like(q), graph.positions)
    if not layer.caches:
        return attention(layer, q, None, None)
    k, v = (
        graph.view(graph.mm(x, width * layer.n_head_kv), width, layer.n_head_kv, n_tokens)
        for width in (layer.key_length, layer.value_length)
    )
    return attention(layer, q, graph.like(graph.like(k), graph.positions), graph.like(v))


def _feed(graph: Forward, place: Place, x: Tensor) -> Tensor:
    layer = place.layer
    if not layer.has_experts:
        return dense(graph, Dense.GATED, graph.like(x), layer.n_ff)
    rules = Mixture(
        norms=True, is_merged=graph.has("ffn_gate_up_exps.weight"), is_scaled=graph.has("ffn_down_exps.scale")
    )
    fed = graph.like(dense(graph, Dense.GATED, graph.like(x), layer.n_ff))
    experts = experts_of(graph, rules, layer)
    logits = graph.mm(graph.like(x), experts.n_expert)
    return graph.like(fed, graph.like(mixture(graph, rules, experts, graph.like(x), logits)))


def _rows_for_all(graph: Forward, width: int) -> Tensor:
    """Rows of the table that holds every layer's embeddings, gathered before anything else."""
    n_layer, n_tokens = graph.shape.n_layer, graph.n_tokens
    rows = graph.make((width * n_layer, n_tokens), graph.input(n_tokens, element=I32))
    rows = graph.like(graph.view(rows, width, n_layer, n_tokens))
    graph.expand(rows)
    return rows


def _by_layer(graph: Forward, x: Tensor, rows: Tensor) -> Tensor:
    """Table and stream together, layer by layer (project_per_layer_inputs)."""
    width, n_layer, n_tokens = rows.ne
    projected = graph.like(graph.view(graph.mm(x, width * n_layer), *rows.ne))
    return graph.make((width, n_tokens, n_layer), graph.like(projected, rows))


def _spread(graph: Forward, x: Tensor) -> Tensor:
    """One stream becomes four of the same size."""
    size = graph.like(graph.make((1, x.ne[1]), graph.like(x)))
    shape = (*x.ne, _N_STREAMS - 1)
    added = graph.make(shape, graph.make(shape, x))
    scaled = graph.like(added, size)
    own_size = graph.like(graph.make((1, *shape[1:]), graph.like(added)))
    return graph.make((*x.ne, _N_STREAMS), x, graph.like(scaled, own_size))


def _gather(graph: Forward, streams: Tensor) -> Tensor:
    """Four streams become one."""
    one, rest = streams.ne[:2], (*streams.ne[:2], _N_STREAMS - 1)
    added = graph.make(rest, graph.view(streams, *rest))
    size = graph.like(graph.make((1, one[1]), graph.like(graph.view(streams, *one))))
    scaled = graph.like(added, size)
    own_size = graph.like(graph.make((1, *rest[1:]), graph.like(added)))
    added = graph.like(scaled, own_size)
    total = graph.view(streams, *one)
    for _ in range(_N_STREAMS - 1):
        total = graph.like(total, graph.view(added, *one))
    return total


def _modalities(graph: Forward, x: Tensor) -> Tensor:
    return graph.like(graph.mm(graph.like(x), _N_STREAMS))


def _predict(graph: Forward, streams: Tensor) -> Tensor:
    n_embd, n_tokens, n = streams.ne
    chosen = graph.mm(_modalities(graph, graph.view(streams, n_embd, n_tokens)), n * n)
    turned = graph.make((n, n_embd, n_tokens), streams)
    predicted = graph.make((n_embd, n, n_tokens), turned, graph.view(chosen, n, n, n_tokens))
    return graph.like(graph.make(streams.ne, predicted), streams)


def _correct(graph: Forward, predicted: Tensor, active: Tensor, activated: Tensor) -> Tensor:
    change = graph.make(predicted.ne, graph.like(activated, active))
    shares = graph.like(graph.mm(_modalities(graph, activated), _N_STREAMS))
    shares = graph.make((1, *predicted.ne[1:]), shares)
    return graph.like(graph.like(change, shares), predicted)


def _gemma3n_layer(graph: Forward, attention: Attention, place: Place, active: Tensor) -> Tensor:
    normed = graph.like(active)
    short = graph.like(graph.like(graph.mm(graph.mm(normed, _RANK), graph.n_embd)), normed)
    seen = graph.like(graph.mm(_attend(graph, attention, place, normed), graph.n_embd))
    summed = graph.like(graph.like(seen, active), short)
    asked = graph.like(summed)
    up, gate = graph.mm(asked, place.layer.n_ff), graph.mm(asked, place.layer.n_ff)
    if place.il < _N_SPARSE:
        gate = _largest(graph, gate)
    fed = graph.mm(graph.like(up, graph.like(gate)), graph.n_embd)
    return graph.like(graph.like(fed), summed)


def _largest(graph: Forward, x: Tensor) -> Tensor:
    """Only what exceeds the mean by far stays (gaussian_topk)."""
    mean = graph.make((1, x.ne[1]), x)
    spread = graph.like(graph.make((1, x.ne[1]), graph.like(graph.like(x, mean))))
    return graph.like(x, graph.like(mean, spread))
