"""Layers that keep a state instead of all tokens: how the state is read and written (llama-graph.cpp, build_rs)."""

from .forward import Forward
from .tensor import I32, Tensor


class States:
    """The recurrent states of one graph; `n_seqs` sequences of `n_seq_tokens` tokens each."""

    def __init__(self, graph: Forward) -> None:
        self._graph = graph
        self.n_seqs = graph.batch.n_seqs
        self.n_seq_tokens = graph.batch.n_tokens // graph.batch.n_seqs
        self.ids = graph.input(self.n_seqs, element=I32)

    def rows(self, n_elements: int) -> Tensor:
        """The states of all sequences, gathered at once."""
        gathered = self._graph.make((n_elements, self.n_seqs), self._graph.view(self.ids, self.n_seqs))
        self._graph.expand(gathered)
        return gathered

    def by_sequence(self, x: Tensor) -> Tensor:
        """`x` as [width, tokens of a sequence, sequences]."""
        return self._graph.view(x, x.ne[0], self.n_seq_tokens, self.n_seqs)

    def in_row(self, x: Tensor) -> Tensor:
        """`x` of all sequences as [width, tokens]."""
        return self._graph.view(x, x.ne[0], self._graph.n_tokens)
