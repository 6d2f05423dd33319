"""Sparse latent attention: an indexer picks the tokens to look at (llama.cpp: deepseek32.cpp, glm-dsa.cpp)."""

from dataclasses import replace

from quern.fit.shape.indexer import Indexer

from .attention import Attention
from .block import Mixture
from .decoder import decode
from .forward import Forward, Place
from .latent import DEEPSEEK, Heads, deepseek2, latent_heads, latent_of, query_source
from .tensor import F16, I32, I64, Tensor

_GLM = replace(DEEPSEEK, mixture=Mixture(is_biased=True, is_scaled=True))


def sparse(graph: Forward) -> None:
    """A layer without an indexer of its own uses the choice of the one before; hy_v4 may have none at all."""
    if graph.shape.indexer is None:
        deepseek2(graph)
        return
    attention, latent, lightning = Attention(graph), latent_of(graph), Lightning(graph)
    chosen: Tensor | None = None

    def mix(place: Place, x: Tensor) -> Tensor:
        nonlocal chosen
        source = query_source(graph, x, latent.q_rank)
        if chosen is None or lightning.indexer.is_own[place.il]:
            chosen = lightning.choose(x, source)
        heads = latent_heads(graph, place, x, source)
        return graph.mm(_look(graph, attention, place, heads, lightning.unmasked(place.il, chosen)), graph.n_embd)

    decode(graph, _GLM if graph.shape.architecture == "glm-dsa" else DEEPSEEK, mix)


class Lightning:
    """The indexer of one graph, with a cache of its own (build_attn_inp_k_dsa)."""

    def __init__(self, graph: Forward) -> None:
        indexer = graph.shape.indexer
        assert indexer is not None
        self.indexer: Indexer = indexer
        self._graph = graph
        self._n_kv = graph.batch.n_kv
        self._ids = graph.input(graph.n_tokens, element=I64)
        self._mask = graph.input(self._n_kv, graph.n_tokens, element=F16)
        self._rotation = graph.input(indexer.key_length & -indexer.key_length, indexer.key_length & -indexer.key_length)
        self._next_layer = 0

    def choose(self, x: Tensor, source: Tensor) -> Tensor:
        """The numbers of those tokens that each token looks at; `source` is what queries are made of."""
        graph, indexer, n_tokens = self._graph, self.indexer, x.ne[1]
        width, n_head = indexer.key_length, indexer.head_count
        turned = graph.like(graph.view(graph.mm(source, n_head * width), width, n_head, n_tokens), graph.positions)
        q = graph.make((width, n_head, n_tokens), self._rotation, turned)
        row = graph.mm(x, width)
        normed = graph.make(row.ne, row)
        k = graph.like(graph.view(normed, width, 1, n_tokens), graph.positions)
        graph.store(graph.view(graph.make((width, n_tokens), self._rotation, k), width, n_tokens), self._ids)
        weights = graph.like(graph.view(graph.mm(x, n_head), n_head, n_tokens))
        score = graph.make((self._n_kv, n_tokens), q, weights, self._mask)
        order = graph.make((self._n_chosen, n_tokens), score, element=I32)
        return graph.make(order.ne, order, element=I32)

    def unmasked(self, il: int, chosen: Tensor) -> tuple[Tensor, Tensor]:
        """What lets the chosen tokens be seen: zeros, one for each, and where they belong.

        The zeros of every layer lie there from the beginning, also those of layers that are left out here.
        """
        graph = self._graph
        for _ in range(self._next_layer, il):
            others = graph.input(self._n_chosen * graph.n_tokens)
            others.is_output = True
            graph.expand(others)
        self._next_layer = il + 1
        return graph.like(graph.input(self._n_chosen * graph.n_tokens)), chosen

    @property
    def _n_chosen(self) -> int:
        return min(self._n_kv, self.indexer.top_k)


def _look(graph: Forward, attention: Attention, place: Place, heads: Heads, unmasked: tuple[Tensor, Tensor]) -> Tensor:
    """What the queries see of the chosen tokens (build_attn with llm_graph_input_attn_k_dsa)."""
    (q, compressed, k), cells = heads, attention.cells(place.layer)
    graph.expand(q, compressed, k)
    attention.keep_latent(cells, k)
    hidden = graph.like(cells.mask)
    mask = graph.like(graph.view(graph.write(hidden, *unmasked), *cells.mask.ne), cells.mask)
    return attention.look_at_latents(cells, q, mask, compressed.ne[0], latent_of(graph).value_length)
