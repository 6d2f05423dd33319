"""Gated delta nets: linear attention, its state a matrix a head (llama.cpp: delta-net-base.cpp, qwen3next.cpp)."""

from .attention import Attention
from .block import Block, Mixture, Shared, SharedWidth
from .decoder import Mixer, decode
from .forward import Forward, Place
from .state import States
from .state_space import join
from .tensor import Tensor

_QWEN = Block(
    mixture=Mixture(norms=True, is_merged=True, is_scaled=True),
    shared=Shared.GATED_LATE,
    shared_width=SharedWidth.SAID,
    crops_late=True,
)


def qwen3next(graph: Forward) -> None:
    """Keys and gates of the linear layers come out of one matrix; keys are repeated for every head of values."""
    decode(graph, _QWEN, _mixer(graph, is_next=True))


def qwen35(graph: Forward) -> None:
    """Gates come out of matrices of their own, nothing is repeated."""
    decode(graph, _QWEN, _mixer(graph, is_next=False))


def _mixer(graph: Forward, *, is_next: bool) -> Mixer:
    states, attention = States(graph), Attention(graph)

    def mix(place: Place, x: Tensor) -> Tensor:
        graph.expand(x)
        if place.layer.is_recurrent:
            return _linear(graph, states, x, is_next=is_next)
        return _gated_attention(graph, attention, place, x)

    return mix


def _gated_attention(graph: Forward, attention: Attention, place: Place, x: Tensor) -> Tensor:
    """Queries come with a gate of their width, out of one matrix."""
    layer, n_tokens = place.layer, x.ne[1]
    width, n_head, n_head_kv = layer.key_length, layer.n_head, layer.n_head_kv
    both = graph.mm(x, 2 * width * n_head)
    q = graph.like(graph.like(graph.view(both, width, n_head, n_tokens)), graph.positions)
    k = graph.view(graph.mm(x, width * n_head_kv), width, n_head_kv, n_tokens)
    v = graph.view(graph.mm(x, width * n_head_kv), width, n_head_kv, n_tokens)
    k = graph.like(graph.like(k), graph.positions)
    seen = attention(layer, q, k, v)
    gate = graph.like(graph.make((width * n_head, n_tokens), graph.view(both, width, n_head, n_tokens)))
    return graph.mm(graph.like(seen, gate), graph.n_embd)


def _linear(graph: Forward, states: States, x: Tensor, *, is_next: bool) -> Tensor:
    shape, n_tokens, n_seqs = graph.shape.recurrent, states.n_seq_tokens, states.n_seqs
    width, n_key, n_value = shape.d_state, shape.n_group, shape.dt_rank
    width_v = shape.d_inner // n_value
    channels = shape.d_inner + 2 * n_key * width
    mixed, z = graph.mm(x, channels), graph.mm(x, shape.d_inner)
    kept = states.rows(shape.n_state_r)
    joined = join(graph, states, kept, graph.view(mixed, channels, n_tokens, n_seqs))
    state = states.rows(shape.n_state_s)
    convolved = graph.like(graph.make((channels, n_tokens, n_seqs), joined))
    q, k = (graph.like(graph.view(convolved, width, n_key, n_tokens, n_seqs)) for _ in range(2))
    v = graph.view(convolved, width_v, n_value, n_tokens, n_seqs)
    if is_next and n_key != n_value:
        repeated = (width, n_value // n_key, n_key, graph.n_tokens)
        q, k = (graph.make(repeated, graph.view(part, *part.ne)) for part in (q, k))
    gate, beta = _gates_of_one(graph, states, x) if is_next else _gates(graph, states, x)
    result = delta_net(graph, (q, k, v), gate, beta, state)
    heads = (width_v, n_value, n_tokens, n_seqs)
    normed = graph.like(graph.view(result, *heads))
    gated = graph.like(normed, graph.like(graph.view(z, *heads)))
    return states.in_row(graph.mm(graph.view(gated, shape.d_inner, n_tokens, n_seqs), graph.n_embd))


def _gates_of_one(graph: Forward, states: States, x: Tensor) -> tuple[Tensor, Tensor]:
    n_value, sizes = graph.shape.recurrent.dt_rank, (states.n_seq_tokens, states.n_seqs)
    both = graph.mm(x, 2 * n_value)
    beta = graph.like(graph.make((n_value, 1, *sizes), graph.view(both, n_value, *sizes)))
    alpha = graph.like(graph.make((n_value, *sizes), graph.view(both, n_value, *sizes)))
    return graph.view(alpha, 1, n_value, *sizes), graph.view(beta, 1, n_value, *sizes)


def _gates(graph: Forward, states: States, x: Tensor) -> tuple[Tensor, Tensor]:
    n_value, sizes = graph.shape.recurrent.dt_rank, (states.n_seq_tokens, states.n_seqs)
    beta = graph.like(graph.view(graph.mm(x, n_value), 1, n_value, *sizes))
    alpha = graph.like(graph.like(graph.view(graph.mm(x, n_value), n_value, *sizes)))
    return graph.view(alpha, 1, n_value, *sizes), beta


def delta_net(
    graph: Forward, heads: tuple[Tensor, Tensor, Tensor], gate: Tensor, beta: Tensor, state: Tensor
) -> Tensor:
    """One result that holds what comes out and the new states (ggml_gated_delta_net)."""
    q, k, v = heads
    width, n_head, n_tokens, n_seqs = v.ne
    rows = n_tokens * n_seqs + width * n_seqs
    whole = graph.view(state, width, width, n_head, n_seqs)
    result = graph.make((width * n_head, rows), q, k, v, gate, beta, whole)
    graph.store(graph.view(result, width, width, n_head, n_seqs))
    return result
