"""Attention over a KV cache, or over the batch alone (llama-graph.cpp, build_attn and build_attn_mha)."""

from dataclasses import dataclass
from math import prod

from quern.fit.buffer.kv_cache import type_bytes
from quern.fit.shape.cache import Extent
from quern.fit.shape.layer import Layer
from quern.spec import KvType

from .forward import Forward
from .tensor import F16, F32, I64, Tensor

_ROTATION = 64
# Every token of the batch sees all others, whatever the cache holds (llama-embed.cpp, t5encoder.cpp).
_SEES_BATCH_ALONE = frozenset({"llama-embed", "t5encoder"})
# Quantized keys and values are kept as they are where the state and two caches go together (build_inp_mem_hybrid_iswa).
_NEVER_ROTATED = frozenset({"lfm2", "lfm2moe"})


@dataclass(frozen=True, slots=True)
class Cells:
    """What the graph is told about one cache: where to write, what may be seen, and how keys and values are turned."""

    n_kv: int
    k_ids: Tensor
    v_ids: Tensor
    mask: Tensor
    k_rotation: Tensor | None
    v_rotation: Tensor | None


class Attention:
    """The attention of one graph, over one cache or two (the second for layers with a sliding window)."""

    def __init__(self, graph: Forward) -> None:
        self._graph = graph
        layers = graph.shape.layers
        self._widest_v = max((c.v_width_transposed for layer in layers for c in layer.caches), default=0)
        self._has_windows = any(layer.slides for layer in layers)
        self._sees_batch_alone = not graph.shape.has_memory or graph.shape.architecture in _SEES_BATCH_ALONE
        self._full = self._cells(Extent.CONTEXT)
        self._window = self._cells(Extent.WINDOW)

    def cells(self, layer: Layer) -> Cells:
        """The cells that `layer` looks at."""
        return self._window if layer.slides else self._full

    def __call__(self, layer: Layer, q: Tensor, k: Tensor | None, v: Tensor | None) -> Tensor:
        """Return what the queries see: keys and values go into the cache, and all of it is looked at.

        `q`, `k`, `v` are [width, heads, tokens]; None reads a cache that an earlier layer has filled.
        """
        graph, cells = self._graph, self.cells(layer)
        if self._sees_batch_alone:
            assert k is not None and v is not None
            return cross_attention(graph, layer, q, k, v, cells.mask)
        q, k, v = self.rotated(cells, q, k, v)
        order = (q, k, v) if self._has_windows else (q, v, k)
        graph.expand(*[tensor for tensor in order if tensor is not None])
        if k is not None:
            graph.store(graph.view(k, prod(k.ne[:2]), k.ne[2]), cells.k_ids)
        if v is not None:
            graph.store(self._value_rows(v), cells.v_ids)
        seen = self._look(layer, q, cells)
        graph.expand(seen)
        return self.turned_back(cells, seen)

    def turned_back(self, cells: Cells, seen: Tensor) -> Tensor:
        """What was seen of values that are kept turned."""
        return seen if cells.v_rotation is None else self._rotate(seen, cells.v_rotation)

    def latent(self, layer: Layer, q: Tensor, k: Tensor, rank: int, width: int) -> Tensor:
        """Return what the queries see of latents, of which `rank` elements serve as values, `width` wide a head."""
        cells = self.cells(layer)
        self.keep_latent(cells, k)
        return self.look_at_latents(cells, q, cells.mask, rank, width)

    def keep_latent(self, cells: Cells, k: Tensor) -> None:
        """Latents go into the cache."""
        self._graph.store(self._graph.view(k, k.ne[0], k.ne[-1]), cells.k_ids)

    def look_at_latents(self, cells: Cells, q: Tensor, mask: Tensor, rank: int, width: int) -> Tensor:
        """Return what the queries see of latents through `mask`."""
        graph = self._graph
        _, n_head, n_tokens = q.ne
        if graph.batch.has_flash:
            summed = graph.make((rank, n_head, n_tokens), q, mask)
            widened = graph.make((width, n_tokens, n_head), graph.view(summed, rank, n_tokens, n_head))
        else:
            values = self._turned_values(graph.batch.type_k, cells.n_kv * graph.batch.n_stream * rank)
            scores = graph.like(graph.make((cells.n_kv, n_tokens, n_head), q), mask)
            widened = graph.make((width, n_tokens, n_head), graph.make((rank, n_tokens, n_head), values, scores))
        seen = graph.make((width * n_head, n_tokens), widened)
        graph.expand(seen)
        return seen

    def _look(self, layer: Layer, q: Tensor, cells: Cells) -> Tensor:
        """Scores, softmax, weighted sum: one step with flash attention, else the scores of all heads lie there."""
        graph, width = self._graph, layer.value_length
        _, n_head, n_tokens = q.ne
        if graph.batch.has_flash:
            return graph.view(graph.make((width, n_head, n_tokens), q, cells.mask), width * n_head, n_tokens)
        scores = graph.like(graph.make((cells.n_kv, n_tokens, n_head), q), cells.mask)
        return graph.make((width * n_head, n_tokens), graph.make((width, n_tokens, n_head), scores))

    def biased(self, layer: Layer, q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
        """Return what the queries see where a `bias` is added to the scores: without flash attention in any case."""
        graph, cells = self._graph, self.cells(layer)
        width, (_, n_head, n_tokens) = layer.value_length, q.ne
        if self._sees_batch_alone:
            graph.expand(q, k, v)
            values, scores = graph.make(v.ne, v), graph.make((n_tokens, n_tokens, n_head), k, q)
        else:
            q, turned_k, turned_v = self.rotated(cells, q, k, v)
            assert turned_k is not None and turned_v is not None
            graph.expand(q, turned_v, turned_k)
            graph.store(graph.view(turned_k, prod(k.ne[:2]), n_tokens), cells.k_ids)
            graph.store(self._value_rows(turned_v), cells.v_ids)
            n_elements = cells.n_kv * width * layer.n_head_kv
            values = self._turned_values(graph.batch.type_v, n_elements) if graph.batch.has_flash else None
            scores = graph.make((cells.n_kv, n_tokens, n_head), q)
        scores = graph.like(graph.like(scores, bias), cells.mask)
        summed = graph.make((width, n_tokens, n_head), *([] if values is None else [values]), scores)
        seen = graph.make((width * n_head, n_tokens), summed)
        graph.expand(seen)
        return seen if self._sees_batch_alone else self.turned_back(cells, seen)

    def _turned_values(self, kv_type: KvType, n_elements: int) -> Tensor:
        """A transposed copy of values as they are in the cache."""
        return self._graph.fetch(type_bytes(kv_type, n_elements), element=1)

    def _value_rows(self, v: Tensor) -> Tensor:
        """Values as they go into the cache; without flash attention they lie transposed, all layers as wide."""
        graph, (width, n_head, n_tokens) = self._graph, v.ne
        if graph.batch.has_flash:
            return graph.view(v, width * n_head, n_tokens)
        rows = graph.view(v, width * n_head, n_tokens)
        if not is_whole(v):
            rows = graph.make((width * n_head, n_tokens), v)
        if width * n_head < self._widest_v:
            rows = graph.make((self._widest_v, n_tokens), rows)
        return rows

    def rotated(
        self, cells: Cells, q: Tensor, k: Tensor | None, v: Tensor | None
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Quantized keys and values are kept turned, so that queries are turned too."""
        if cells.k_rotation is not None:
            q = self._rotate(q, cells.k_rotation)
            k = None if k is None else self._rotate(k, cells.k_rotation)
        if cells.v_rotation is not None and v is not None:
            v = self._rotate(v, cells.v_rotation)
        return q, k, v

    def _rotate(self, x: Tensor, rotation: Tensor) -> Tensor:
        """Quantized keys and values are kept rotated (llama_mul_mat_hadamard)."""
        graph, width = self._graph, rotation.ne[0]
        n_rows = prod(x.ne) // width
        whole = graph.view(x, width, n_rows) if is_whole(x) else graph.make((width, n_rows), x)
        turned = graph.make((width, n_rows), rotation, whole)
        return graph.view(turned, *x.ne)

    def _cells(self, extent: Extent) -> Cells:
        graph, batch = self._graph, self._graph.batch
        n_tokens = batch.n_tokens
        n_kv = batch.n_kv_window if extent is Extent.WINDOW else batch.n_kv
        if self._sees_batch_alone:
            n_kv = n_tokens
        first = graph.shape.layers[0]
        cached = [kind for kind in graph.shape.kinds if any(c.extent is extent for c in kind.caches)]
        k_widths, v_widths = {kind.key_length for kind in cached}, {kind.value_length for kind in cached}
        is_kept_plain = graph.shape.architecture in _NEVER_ROTATED and self._has_windows
        turns_k = batch.rotates_k and not is_kept_plain and len(k_widths) == 1 and first.key_length % _ROTATION == 0
        turns_v = batch.rotates_v and not is_kept_plain and len(v_widths) == 1 and first.value_length % _ROTATION == 0
        k_turn = _rotation(min(k_widths)) if turns_k else 0
        return Cells(
            n_kv=n_kv,
            k_ids=graph.input(n_tokens, element=I64),
            v_ids=graph.input(n_tokens * (1 if batch.has_flash else self._widest_v), element=I64),
            mask=graph.input(n_kv, n_tokens, element=F16 if batch.has_flash else F32),
            k_rotation=graph.input(k_turn, k_turn) if k_turn else None,
            v_rotation=graph.input(_ROTATION, _ROTATION) if turns_v else None,
        )


def cross_attention(graph: Forward, layer: Layer, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """Return what the queries see of keys and values that are in no cache."""
    width, (_, n_head, n_tokens) = layer.value_length, q.ne
    graph.expand(q, k, v)
    if graph.batch.has_flash:
        halves = graph.make(k.ne, k, element=F16), graph.make(v.ne, v, element=F16)
        seen = graph.view(graph.make((width, n_head, n_tokens), q, *halves, mask), width * n_head, n_tokens)
    else:
        scores = graph.like(graph.make((k.ne[2], n_tokens, n_head), k, q), mask)
        summed = graph.make((width, n_tokens, n_head), graph.make(v.ne, v), scores)
        seen = graph.make((width * n_head, n_tokens), summed)
    graph.expand(seen)
    return seen


def is_whole(x: Tensor) -> bool:
    """Whether `x` is all of its base, so that it lies in one piece."""
    return x.base is None or prod(x.base.ne) == prod(x.ne)


def _rotation(width: int) -> int:
    """The largest power of two that divides `width`, a multiple of 64 (build_input_k_rot)."""
    return width & -width
