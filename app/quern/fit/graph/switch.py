"""A model that picks one of its adapters for each token as it goes along (llama.cpp: granite-switch.cpp)."""

from .attention import Attention
from .forward import Forward, Place
from .tensor import I32, Tensor


class Switch:
    """Which adapter each token uses, and what matrices make of a token with it."""

    def __init__(self, graph: Forward, attention: Attention) -> None:
        self._graph = graph
        n_tokens = graph.n_tokens
        router = graph.shape.layers[graph.shape.n_layer]
        k, v, q = (graph.input(n_tokens) for _ in range(3))
        q, k, v = (graph.make((router.key_length, 1, n_tokens), graph.view(x, 1, 1, n_tokens)) for x in (q, k, v))
        seen = attention(router, q, k, v)
        slots = graph.make((1, n_tokens), graph.view(seen, 1, n_tokens))
        self._ids = graph.make((n_tokens,), graph.like(graph.like(graph.view(slots, n_tokens))), element=I32)

    def crop(self) -> None:
        """Only tokens whose logits are wanted go on."""
        graph = self._graph
        rows = graph.view(self._ids, 1, graph.n_tokens)
        self._ids = graph.make((1, graph.batch.n_outputs), rows, graph.output_ids, element=I32)

    def delta(self, x: Tensor, n_out: int) -> Tensor:
        """What the adapters add."""
        graph, n_tokens = self._graph, x.ne[1]
        row, ids = graph.view(x, x.ne[0], 1, n_tokens), graph.view(self._ids, 1, n_tokens)
        narrow = graph.make((graph.shape.details.adapter_rank, 1, n_tokens), row, ids)
        return graph.view(graph.make((n_out, 1, n_tokens), narrow, ids), n_out, n_tokens)

    def mm(self, x: Tensor, n_out: int) -> Tensor:
        """`x` times a matrix and its adapters."""
        return self._graph.like(self._graph.mm(x, n_out), self.delta(x, n_out))


def granite_switch(graph: Forward) -> None:
    """Granite's blocks, every matrix with adapters."""
    attention = Attention(graph)
    x = graph.like(graph.embeddings)
    switch = Switch(graph, attention)
    for place in graph.places():
        seen = _attend(graph, switch, attention, place, graph.like(x))
        if place.is_last:
            seen, x = graph.outputs_of(seen), graph.outputs_of(x)
            switch.crop()
        summed = graph.like(graph.like(seen), x)
        x = graph.like(graph.like(_feed(graph, switch, place, graph.like(summed))), summed)
    graph.logits(graph.like(x))


def _attend(graph: Forward, switch: Switch, attention: Attention, place: Place, x: Tensor) -> Tensor:
    layer, n_tokens = place.layer, x.ne[1]
    width_q, width_k = layer.n_head * layer.key_length, layer.n_head_kv * layer.key_length
    all_three = graph.mm(x, width_q + 2 * width_k)
    parts = [
        graph.make((width, n_tokens), graph.view(all_three, width, n_tokens)) for width in (width_q, width_k, width_k)
    ]
    q, k, v = (graph.like(part, switch.delta(x, part.ne[0])) for part in parts)
    q = graph.like(graph.view(q, layer.key_length, layer.n_head, n_tokens), graph.positions)
    k = graph.like(graph.view(k, layer.key_length, layer.n_head_kv, n_tokens), graph.positions)
    v = graph.view(v, layer.value_length, layer.n_head_kv, n_tokens)
    return switch.mm(attention(layer, q, k, v), graph.n_embd)


def _feed(graph: Forward, switch: Switch, place: Place, x: Tensor) -> Tensor:
    gate, up = switch.mm(x, place.layer.n_ff), switch.mm(x, place.layer.n_ff)
    return switch.mm(graph.like(graph.like(gate), up), graph.n_embd)
