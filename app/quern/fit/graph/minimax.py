"""Lightning attention: a state that decays, and the tokens of one batch by a matrix (llama.cpp: minimax-01.cpp)."""

from .block import Block, Mixture
from .decoder import attention_of
from .feed_forward import experts_of, mixture
from .filed import filed
from .forward import Forward, Place
from .state import States
from .tensor import Tensor

_BLOCK = Block(mixture=Mixture(norms=True, is_dense_wide=True))


class Lightning:
    """The lightning attention of one graph: what decays how, by the distance of two tokens (llm_graph_input_la)."""

    def __init__(self, graph: Forward) -> None:
        self._graph = graph
        self._states = States(graph)
        n_head, n_tokens, n_seqs = graph.shape.layers[0].n_head, self._states.n_seq_tokens, self._states.n_seqs
        self._slopes = graph.input(n_head)
        self._q_decay = graph.input(1, n_head, n_tokens, n_seqs)
        self._k_decay = graph.input(1, n_head, n_tokens, n_seqs)
        self._decay = graph.input(n_tokens, n_tokens, n_head, n_seqs)

    def __call__(self, place: Place, x: Tensor) -> Tensor:
        """What each token gets of the state and of those before it in the batch."""
        graph, states = self._graph, self._states
        width, n_head = place.layer.key_length, place.layer.n_head
        n_tokens, n_seqs = states.n_seq_tokens, states.n_seqs
        heads, turned = (width, n_head, n_tokens, n_seqs), (width, n_tokens, n_head, n_seqs)
        state = states.rows(width * width * n_head)
        old = graph.view(state, width, width, n_head, n_seqs)
        both = graph.like(graph.mm(x, 3 * width * n_head))
        q, k, v = (graph.view(both, *heads) for _ in range(3))
        asked = graph.make(heads, q, graph.like(graph.like(self._q_decay)))
        remembered = graph.make(turned, old, graph.view(asked, *turned))
        scores = graph.make((n_tokens, n_tokens, n_head, n_seqs), k, q)
        scores = graph.like(scores, graph.like(graph.like(self._decay)))
        values = graph.make((n_tokens, width, n_head, n_seqs), v)
        result = graph.like(remembered, graph.make(turned, values, scores))
        graph.expand(result)
        decay = graph.like(graph.like(graph.like(self._slopes)))
        faded = graph.like(old, graph.view(decay, 1, 1, n_head))
        keys = graph.make(heads, k, graph.like(graph.like(self._k_decay)))
        keys = graph.make(values.ne, graph.view(keys, *turned))
        graph.store(graph.like(faded, graph.make(old.ne, keys, values)))
        in_rows = graph.make(heads, graph.view(result, *heads))
        normed = graph.like(graph.view(in_rows, width * n_head, graph.n_tokens))
        gate = graph.like(graph.mm(x, width * n_head))
        return graph.view(graph.mm(graph.like(gate, normed), graph.n_embd), graph.n_embd, graph.n_tokens)


def minimax_01(graph: Forward) -> None:
    """Lightning attention or plain attention, then a mixture; what is added is not the stream but what was normed."""
    block = filed(_BLOCK, graph.shape.details.parts)
    lightning, attending = Lightning(graph), attention_of(graph, _BLOCK)
    assert block.mixture is not None
    x = graph.embeddings
    for place in graph.places():
        normed = graph.like(x)
        mix = lightning if place.layer.is_recurrent else attending
        seen = mix(place, normed)
        if place.is_last:
            seen, normed = graph.outputs_of(seen), graph.outputs_of(normed)
        again = graph.like(graph.like(seen, graph.like(normed)))
        mixed = mixture(graph, block.mixture, experts_of(graph, block.mixture, place.layer), again)
        x = graph.like(mixed, graph.like(again))
    graph.logits(graph.like(x))
