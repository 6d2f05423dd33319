"""RWKV: every token is mixed with the one before it, and with a state (llama.cpp: rwkv6-base.cpp, rwkv7-base.cpp)."""

from .block import Dense
from .feed_forward import dense
from .forward import Forward
from .state import States
from .tensor import Tensor


def rwkv6(graph: Forward) -> None:
    """RWKV 6 with its own feed-forward part."""
    _rwkv(graph, is_seventh=False)


def rwkv7(graph: Forward) -> None:
    """RWKV 7 with its own feed-forward part."""
    _rwkv(graph, is_seventh=True)


def rwkv6qwen2(graph: Forward) -> None:
    """RWKV 6 in place of qwen2's attention."""
    _from_qwen2(graph, is_seventh=False)


def arwkv7(graph: Forward) -> None:
    """RWKV 7 in place of qwen2's attention."""
    _from_qwen2(graph, is_seventh=True)


class _TimeMix:
    """The part of a layer that looks back; RWKV 7 also remembers the values of its first layer."""

    def __init__(self, graph: Forward, states: States, *, is_seventh: bool, is_qwen2: bool) -> None:
        self._graph = graph
        self._states = states
        self._is_seventh = is_seventh
        self._is_qwen2 = is_qwen2
        self._first_values: Tensor | None = None

    def __call__(self, x: Tensor, previous: Tensor) -> Tensor:
        """`x` and `previous` are [width, tokens of a sequence, sequences]; so is the result."""
        mixed = self._seventh(x, previous) if self._is_seventh else self._sixth(x, previous)
        return self._states.by_sequence(self._graph.mm(mixed, self._graph.n_embd))

    def _sixth(self, x: Tensor, previous: Tensor) -> Tensor:
        graph, details, n_embd, n_tokens = (
            self._graph,
            self._graph.shape.details,
            self._graph.n_embd,
            self._graph.n_tokens,
        )
        rank = details.mix_rank
        change, own = (graph.view(part, n_embd, n_tokens) for part in (graph.like(previous, x), x))
        lerped = graph.like(graph.mm(graph.like(graph.like(change), own), 5 * rank))
        spread = graph.make((rank, 1, n_tokens, 5), graph.view(lerped, rank, 1, 5, n_tokens))
        wide = graph.make((n_embd, 1, n_tokens, 5), spread)
        wide = graph.like(
            graph.like(wide, graph.view(change, n_embd, 1, n_tokens)), graph.view(own, n_embd, 1, n_tokens)
        )
        w, k, v, r, g = (graph.view(wide, n_embd, n_tokens) for _ in range(5))
        k, v, r = graph.mm(k, n_embd), graph.mm(v, n_embd), graph.mm(r, n_embd)
        gate = graph.like(graph.mm(g, n_embd))
        decay = graph.like(graph.mm(graph.like(graph.mm(w, details.decay_rank)), n_embd))
        heads = [graph.view(part, *self._heads()) for part in (k, v, r, decay)]
        if self._is_qwen2:
            heads[0] = graph.like(heads[0], graph.like(heads[0], heads[3]))
        result = self._run(heads)
        if self._is_qwen2:
            return graph.like(graph.view(result, n_embd, n_tokens), gate)
        return graph.like(self._normed(result), gate)

    def _seventh(self, x: Tensor, previous: Tensor) -> Tensor:
        graph, details, n_embd, n_tokens = (
            self._graph,
            self._graph.shape.details,
            self._graph.n_embd,
            self._graph.n_tokens,
        )
        has_gate = details.gate_rank > 0
        change = graph.like(previous, x)
        repeated = graph.make((*x.ne, 6 if has_gate else 5), change)
        wide = graph.like(graph.like(repeated), x)
        r, w, k, v, a, g = (graph.view(wide, n_embd, n_tokens) for _ in range(6))
        values, rates = self._values(v), graph.like(graph.mm(graph.mm(a, details.rate_rank), n_embd))
        r = graph.mm(r, n_embd)
        decay = graph.like(graph.mm(graph.like(graph.mm(w, details.decay_rank)), n_embd))
        gate = graph.mm(graph.like(graph.mm(g, details.gate_rank)), n_embd) if has_gate else None
        key = graph.mm(k, n_embd)
        scaled = graph.view(graph.like(key), *self._heads())
        unit = graph.make(scaled.ne, scaled)
        moved = graph.like(key)
        key = graph.like(key, graph.like(graph.like(rates, moved), moved))
        r, decay, key, values, rates = (graph.view(p, *self._heads()) for p in (r, decay, key, values, rates))
        result = self._run([r, decay, key, values, graph.like(unit), graph.like(unit, rates)])
        out = self._normed(result)
        weight = graph.make((1, *key.ne[1:]), graph.like(graph.like(key, r)))
        out = graph.like(out, graph.view(graph.like(values, weight), n_embd, n_tokens))
        return out if gate is None else graph.like(out, gate)

    def _values(self, x: Tensor) -> Tensor:
        graph, n_embd = self._graph, self._graph.n_embd
        values = graph.mm(x, n_embd)
        if self._first_values is None:
            self._first_values = values
            return values
        share = graph.like(graph.mm(graph.mm(x, graph.shape.details.value_rank), n_embd))
        return graph.like(values, graph.like(graph.like(self._first_values, values), share))

    def _run(self, heads: list[Tensor]) -> Tensor:
        """One result that holds what comes out and the new states."""
        graph, shape = self._graph, self._graph.shape.recurrent
        state = self._states.rows(shape.n_state_s)
        rows = graph.n_tokens + shape.wkv_head_size * self._states.n_seqs
        result = graph.make((graph.n_embd, rows), *heads, state)
        graph.store(graph.view(result, shape.n_state_s * self._states.n_seqs))
        return result

    def _normed(self, result: Tensor) -> Tensor:
        graph = self._graph
        heads = graph.view(result, *self._heads())
        return graph.like(graph.view(graph.make(heads.ne, heads), graph.n_embd, graph.n_tokens))

    def _heads(self) -> tuple[int, int, int]:
        size = self._graph.shape.recurrent.wkv_head_size
        return size, self._graph.n_embd // size, self._graph.n_tokens


def _rwkv(graph: Forward, *, is_seventh: bool) -> None:
    states = States(graph)
    mix_time = _TimeMix(graph, states, is_seventh=is_seventh, is_qwen2=False)
    x = graph.make(graph.embeddings.ne, graph.embeddings)
    for place in graph.places():
        shift = states.rows(graph.shape.recurrent.n_state_r)
        stream = states.by_sequence(x)
        normed = graph.make(stream.ne, stream)
        summed = graph.like(mix_time(normed, _previous(graph, shift, normed)), stream)
        fed = graph.make(summed.ne, summed)
        previous = _previous(graph, shift, fed)
        last = (graph.n_embd, 1, states.n_seqs)
        graph.store(graph.make((graph.n_embd, 2, states.n_seqs), graph.view(normed, *last), graph.view(fed, *last)))
        rows = [states.in_row(part) for part in (summed, fed, previous)]
        if place.is_last:
            rows = [graph.outputs_of(part) for part in rows]
        summed, fed, previous = rows
        change = graph.like(previous, fed)
        asked = graph.like(graph.like(change), fed)
        wanted = None if is_seventh else graph.like(graph.mm(graph.like(graph.like(change), fed), graph.n_embd))
        hidden = graph.mm(graph.like(graph.mm(asked, place.layer.n_ff)), graph.n_embd)
        x = graph.like(hidden if wanted is None else graph.like(wanted, hidden), summed)
    graph.logits(graph.make(x.ne, x))


def _from_qwen2(graph: Forward, *, is_seventh: bool) -> None:
    states = States(graph)
    mix_time = _TimeMix(graph, states, is_seventh=is_seventh, is_qwen2=True)
    x = graph.embeddings
    for place in graph.places():
        shift = states.rows(graph.shape.recurrent.n_state_r)
        stream = states.by_sequence(x)
        normed = graph.like(stream)
        mixed = mix_time(normed, _previous(graph, shift, normed))
        graph.store(graph.view(normed, graph.n_embd, 1, states.n_seqs))
        summed = states.in_row(graph.like(mixed, stream))
        if place.is_last:
            summed = graph.outputs_of(summed)
        x = graph.like(dense(graph, Dense.GATED, graph.like(summed), place.layer.n_ff), summed)
    graph.logits(graph.like(x))


def _previous(graph: Forward, shift: Tensor, x: Tensor) -> Tensor:
    """`x` moved by one token, the last one of the batch before in front."""
    n_embd, n_tokens, n_seqs = x.ne
    return graph.make(x.ne, graph.view(shift, n_embd, 1, n_seqs), graph.view(x, n_embd, n_tokens - 1, n_seqs))
