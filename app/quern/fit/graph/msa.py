"""Sparse attention by blocks of positions, of which each group of heads picks its own (llama.cpp: minimax-m3.cpp)."""

from .attention import Attention, Cells
from .block import Block, HeadNorm, Mixture, Shared
from .decoder import attend, decode
from .forward import Forward, Place
from .tensor import F16, I32, I64, Tensor

_N_POSITIONS = 256  # llama-kv-cache-msa.cpp, get_n_pos, for a cache that is still empty
_BLOCK = Block(head_norm=HeadNorm.EACH, mixture=Mixture(is_biased=True), shared=Shared.ADDED)


def minimax_m3(graph: Forward) -> None:
    """Dense attention in the first layers, and in all where a cache cannot be told by position."""
    attention, batch = Attention(graph), graph.batch
    is_sparse = batch.has_flash and batch.n_stream == batch.n_seqs
    blocks = BlockAttention(graph, attention)

    def mix(place: Place, x: Tensor) -> Tensor:
        if is_sparse and place.layer.has_experts:
            return blocks(place, x)
        return attend(graph, _BLOCK, attention, place, x)

    decode(graph, _BLOCK, mix)


class BlockAttention:
    """The sparse attention of one graph (llm_graph_input_msa)."""

    def __init__(self, graph: Forward, attention: Attention) -> None:
        indexer = graph.shape.indexer
        assert indexer is not None
        self._graph = graph
        self._attention = attention
        self._width, self._n_group = indexer.key_length, indexer.head_count
        self._n_stream = graph.batch.n_stream
        self._n_tokens = graph.n_tokens // self._n_stream
        self._n_block = -(-_N_POSITIONS // max(1, graph.shape.details.indexer_block))
        self._n_position = self._n_block * max(1, graph.shape.details.indexer_block)
        self._n_chosen = min(indexer.top_k, self._n_block)
        self._ids = graph.input(graph.n_tokens, element=I64)
        self._slots = graph.input(self._n_position, self._n_stream, element=I32)
        self._unmapped = graph.input(self._n_position, graph.n_tokens)
        self._bias = graph.input(self._n_block, graph.n_tokens)
        self._block_of = graph.input(graph.batch.n_kv, self._n_stream, element=I32)
        self._mask: Tensor | None = None

    def __call__(self, place: Place, x: Tensor) -> Tensor:
        """Return what the queries see, stream after stream."""
        graph, layer, cells = self._graph, place.layer, self._attention.cells(place.layer)
        key = self._turned(x, 1)
        graph.store(graph.view(key, self._width, graph.n_tokens), self._ids)
        q = self._heads(x, layer.n_head, layer.key_length)
        k = self._heads(x, layer.n_head_kv, layer.key_length)
        v = graph.view(
            graph.mm(x, layer.n_head_kv * layer.value_length), layer.value_length, layer.n_head_kv, graph.n_tokens
        )
        q, k, v = self._kept_turned(cells, q, k, v)
        graph.expand(q, k, v)
        graph.store(graph.view(k, layer.n_head_kv * layer.key_length, graph.n_tokens), cells.k_ids)
        graph.store(graph.view(v, layer.n_head_kv * layer.value_length, graph.n_tokens), cells.v_ids)
        asked = self._turned(x, self._n_group)
        seen = self._seen(place, q, asked)
        for stream in range(1, self._n_stream):
            more = self._seen(place, q, asked)
            seen = graph.make((seen.ne[0], (stream + 1) * self._n_tokens), seen, more)
        return graph.mm(self._attention.turned_back(cells, seen), graph.n_embd)

    def _kept_turned(self, cells: Cells, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        turned_q, turned_k, turned_v = self._attention.rotated(cells, q, k, v)
        assert turned_k is not None
        assert turned_v is not None
        return turned_q, turned_k, turned_v

    def _heads(self, x: Tensor, n_head: int, width: int) -> Tensor:
        graph = self._graph
        heads = graph.view(graph.mm(x, n_head * width), width, n_head, x.ne[1])
        return graph.like(graph.like(heads), graph.positions)

    def _turned(self, x: Tensor, n_head: int) -> Tensor:
        return self._heads(x, n_head, self._width)

    def _seen(self, place: Place, q: Tensor, asked: Tensor) -> Tensor:
        """What the tokens of one stream see of the blocks that they pick."""
        graph, layer, n_tokens, n_group = self._graph, place.layer, self._n_tokens, self._n_group
        keys = graph.make((self._width, self._n_position), self._slots_of_stream())
        product = graph.make(
            (self._n_position, n_group * n_tokens), keys, graph.view(asked, self._width, n_group * n_tokens)
        )
        scores = graph.view(product, self._n_position, n_group, n_tokens)
        scores = graph.add_into(scores, graph.view(self._unmapped, self._n_position, 1, n_tokens))
        best = graph.make((self._n_block, n_group, n_tokens), scores)
        bias = graph.view(self._bias, self._n_block, 1, n_tokens)
        chosen = graph.make((self._n_chosen, n_group, n_tokens), graph.like(best, bias), element=I32)
        mask = self._mask_of(bias, chosen)
        width_q = (layer.value_length, layer.n_head // n_group, n_tokens, n_group)
        looked = graph.make(width_q, graph.view(q, *width_q), mask)
        in_rows = graph.make(width_q, graph.view(looked, *width_q))
        return graph.view(in_rows, layer.value_length * layer.n_head, n_tokens)

    def _slots_of_stream(self) -> Tensor:
        return self._graph.view(self._slots, self._n_position)

    def _mask_of(self, bias: Tensor, chosen: Tensor) -> Tensor:
        """The causal mask without the blocks that were not chosen."""
        graph, n_kv, n_group, n_tokens = self._graph, self._graph.batch.n_kv, self._n_group, self._n_tokens
        zero = graph.like(graph.make(chosen.ne, chosen))
        hidden = graph.make(bias.ne, graph.make(bias.ne, bias), element=F16)
        hidden = graph.make((self._n_block, n_group, n_tokens), hidden, element=F16)
        marked = graph.write(graph.view(hidden, 1, self._n_block, n_group * n_tokens), zero, chosen)
        by_group = graph.make((self._n_block, n_tokens, n_group), graph.view(marked, *hidden.ne), element=F16)
        turned = graph.make((n_tokens * n_group, self._n_block), graph.view(by_group, *by_group.ne), element=F16)
        by_cell = graph.make((n_tokens * n_group, n_kv), turned, graph.view(self._block_of, n_kv))
        mask = graph.make((n_kv, n_tokens * n_group), graph.view(by_cell, n_kv, n_tokens * n_group))
        if self._mask is None:
            causal = self._attention.cells(graph.shape.layers[0]).mask
            self._mask = graph.make(causal.ne, causal)
        mask = graph.add_into(graph.view(mask, n_kv, n_tokens, n_group), graph.view(self._mask, n_kv, n_tokens))
        return graph.make((n_kv, n_tokens, 1, n_group), mask, element=F16)
