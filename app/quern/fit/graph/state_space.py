"""State-space layers (llama.cpp: src/models/mamba-base.cpp, plamo2.cpp) and a short convolution (lfm2.cpp)."""

from .forward import Forward
from .state import States
from .tensor import Tensor


def mamba(graph: Forward, states: States, x: Tensor, *, norms: bool) -> Tensor:
    """Mamba 1; `norms` norms what decides over the state."""
    shape, n_tokens, n_seqs = graph.shape.recurrent, states.n_seq_tokens, states.n_seqs
    d_inner, d_state = shape.d_inner, shape.d_state
    kept = states.rows(shape.n_state_r)
    both = graph.mm(states.by_sequence(x), 2 * d_inner)
    inputs = _convolve(graph, states, kept, graph.view(both, d_inner, n_tokens, n_seqs))
    chosen = graph.mm(inputs, shape.dt_rank + 2 * d_state)
    step, b, c = (graph.view(chosen, n, n_tokens, n_seqs) for n in (shape.dt_rank, d_state, d_state))
    if norms:
        step, b, c = graph.like(step), graph.like(b), graph.like(c)
    else:
        step = graph.make(step.ne, step)
    step = graph.mm(step, d_inner)
    result = scan(graph, states, graph.view(inputs, *inputs.ne), step, b, c)
    y = graph.like(graph.view(result, *inputs.ne), graph.like(inputs))
    gate = graph.make(inputs.ne, graph.view(both, d_inner, n_tokens, n_seqs))
    return states.in_row(graph.mm(graph.make(inputs.ne, gate, y), graph.n_embd))


def mamba2(graph: Forward, states: States, x: Tensor, *, norms: bool) -> Tensor:
    """Mamba 2; `norms` norms the result group by group."""
    shape, n_tokens, n_seqs = graph.shape.recurrent, states.n_seq_tokens, states.n_seqs
    d_inner, d_state, n_group, n_head = shape.d_inner, shape.d_state, shape.n_group, shape.dt_rank
    width = d_inner + 2 * n_group * d_state
    heads = (d_inner // n_head, n_head, n_tokens, n_seqs)
    kept = states.rows(shape.n_state_r)
    all_in = graph.mm(x, d_inner + width + n_head)
    inputs = _convolve(graph, states, kept, graph.view(all_in, width, n_tokens, n_seqs))
    own, b = graph.view(inputs, *heads), graph.view(inputs, d_state, n_group, n_tokens, n_seqs)
    step = graph.make((n_head, n_tokens, n_seqs), graph.view(all_in, n_head, n_tokens, n_seqs))
    result = scan(graph, states, own, step, b, b)
    y = graph.like(graph.view(result, *heads), graph.like(own))
    y = graph.make(heads, graph.make(heads, graph.view(all_in, *heads)), y)
    if norms:
        y = graph.like(graph.view(y, d_inner // n_group, n_group, n_tokens, n_seqs))
    return graph.mm(graph.view(y, d_inner, graph.n_tokens), graph.n_embd)


def plamo2_mamba(graph: Forward, states: States, x: Tensor) -> Tensor:
    """Mamba 2 whose inputs and gates are interleaved head by head."""
    shape, n_tokens, n_seqs = graph.shape.recurrent, states.n_seq_tokens, states.n_seqs
    d_inner, d_state, n_head = shape.d_inner, shape.d_state, shape.dt_rank
    heads = (d_inner // n_head, n_head, n_tokens, n_seqs)
    dt_width = max(64, graph.n_embd // 16)
    kept = states.rows(shape.n_state_r)
    product = graph.mm(states.by_sequence(x), 2 * d_inner)
    both = graph.make((2 * heads[0], *heads[1:]), graph.view(product, *product.ne))
    inputs = graph.make((d_inner, n_tokens, n_seqs), graph.view(both, *heads))
    inputs = _convolve(graph, states, kept, inputs)
    chosen = graph.mm(inputs, dt_width + 2 * d_state)
    b, c, step = (graph.like(graph.view(chosen, n, n_tokens, n_seqs)) for n in (d_state, d_state, dt_width))
    step = graph.mm(step, n_head)
    own = graph.view(inputs, *heads)
    result = scan(graph, states, own, step, graph.view(b, *b.ne), graph.view(c, *c.ne))
    y = graph.like(graph.view(result, *heads), graph.like(own))
    y = graph.make(heads, graph.make(heads, graph.view(both, *heads)), y)
    return states.in_row(graph.mm(graph.view(y, d_inner, n_tokens, n_seqs), graph.n_embd))


def short_convolution(graph: Forward, states: States, x: Tensor) -> Tensor:
    """A gated convolution over the last few tokens."""
    n_embd, n_tokens, n_seqs = graph.n_embd, states.n_seq_tokens, states.n_seqs
    three = graph.mm(states.by_sequence(x), 3 * n_embd)
    b, c, own = (graph.view(three, n_embd, n_tokens, n_seqs) for _ in range(3))
    gated = graph.like(b, own)
    kept = states.rows(graph.shape.recurrent.n_state_r)
    joined = join(graph, states, kept, gated)
    convolved = graph.make((n_embd, n_tokens, n_seqs), joined)
    return states.in_row(graph.mm(graph.like(c, convolved), n_embd))


def scan(graph: Forward, states: States, x: Tensor, step: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """The state run over all tokens: one result that holds outputs and new states (ggml_ssm_scan)."""
    shape = graph.shape.recurrent
    n_elements = shape.d_inner * graph.n_tokens + shape.n_state_s * states.n_seqs
    result = graph.make((n_elements,), x, step, b, c, graph.view(states.ids, states.n_seqs))
    graph.expand(result)
    graph.store(graph.view(result, shape.n_state_s * states.n_seqs))
    return result


def join(graph: Forward, states: States, kept: Tensor, x: Tensor) -> Tensor:
    """The last inputs of a sequence and the new ones, one after the other; the last of all are kept."""
    width = x.ne[0]
    n_kept = kept.ne[0] // width
    joined = graph.make(
        (n_kept + states.n_seq_tokens, width, states.n_seqs),
        graph.view(kept, n_kept, width, states.n_seqs),
        graph.view(x, states.n_seq_tokens, width, states.n_seqs),
    )
    graph.store(graph.view(joined, n_kept, width, states.n_seqs))
    return joined


def _convolve(graph: Forward, states: States, kept: Tensor, x: Tensor) -> Tensor:
    joined = join(graph, states, kept, x)
    return graph.like(graph.make((x.ne[0], states.n_seq_tokens, states.n_seqs), joined))
