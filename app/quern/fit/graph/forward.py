"""The two ends of every model's graph: embeddings in, logits out."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from quern.fit.shape.architecture import HYBRID, RECURRENT, names
from quern.fit.shape.layer import Layer
from quern.fit.shape.model_shape import ModelShape

from .batch import Batch
from .tensor import I32, Graph, Tensor


class Handed(Enum):
    """How the stream comes to a device (ggml-backend.cpp, ggml_backend_sched_split_graph).

    WHOLE: it lies there. UNFINISHED: from the machine's memory, where the last layer's product has been made and the
    steps that need no weights have not. NORMED: from another GPU that has done those too, the next norm among them.
    """

    WHOLE = 1
    UNFINISHED = 2
    NORMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSpan:
    """What one device computes: the layers from `first` to before `end`, the embeddings before, the output after."""

    first: int
    end: int
    has_input: bool
    has_output: bool
    handed: Handed = Handed.WHOLE


# Positions have four parts, always or where a header says how large they are (llama-model.cpp, llama_model_rope_type).
_FOUR_POSITIONS = names("qwen2vl qwen3vl qwen3vlmoe paddleocr qwen35 qwen35moe qwen4exp qwen3tts")
_MAYBE_FOUR_POSITIONS = names("hunyuan_vl glm4 glm4moe bailingmoe3")

# What a layer is made of depends on its number too: in fours, or whether it is one of the first ten.
_IN_FOURS = frozenset({"llama4", "smollm3", "afmoe", "smallthinker"})
_FIRST_TEN = frozenset({"gemma3n"})
# Embeddings are never handed in (granite-switch.cpp).
_TOKENS_ONLY = frozenset({"graniteswitch"})
_ALL_DIFFERENT = frozenset({"hrm_text"})


def _telling(shape: ModelShape, first: int, end: int) -> list[int]:
    """Return the layers from `first` to before `end` that decide how much room is needed.

    They are each kind's first two after each other kind, and the last of all: a layer finds the room that the one
    before has left, and after the second time it has been there before. Layers with a state take some more turns.
    """
    architecture, last = shape.architecture, end - 1
    if architecture in _ALL_DIFFERENT:
        return list(range(first, end))
    most = 6 if architecture in RECURRENT else 4 if architecture in HYBRID else 3 if architecture in _FIRST_TEN else 2
    seen: dict[tuple[int, int], int] = {}
    previous, telling = -1, list[int]()
    for il in range(first, last):
        kind = shape.kind_of[il] * 4
        if architecture in _IN_FOURS:
            kind += il % 4
        elif architecture in _FIRST_TEN:
            kind += il < 10
        count = seen.get((previous, kind), 0)
        if count < most:
            seen[previous, kind] = count + 1
            telling.append(il)
        previous = kind
    return [*telling, last] if end > first else []


def _position_parts(shape: ModelShape) -> int:
    architecture = shape.architecture
    is_split = shape.details.has_sections and architecture in _MAYBE_FOUR_POSITIONS
    return 4 if is_split or architecture in _FOUR_POSITIONS else 1


@dataclass(frozen=True, slots=True)
class Place:
    """One layer where it stands: its number `il`, and whether it is the last that runs."""

    il: int
    layer: Layer
    is_last: bool


class Forward(Graph):
    """A graph over one batch; `n_tokens` and `n_embd` are the stream's dimensions (llama-graph.cpp)."""

    def __init__(self, shape: ModelShape, batch: Batch, span: LayerSpan | None = None) -> None:
        super().__init__()
        self.shape = shape
        self.batch = batch
        self._span = span or LayerSpan(first=0, end=shape.n_layer_all, has_input=True, has_output=True)
        self._is_cut = self._span.handed is not Handed.WHOLE and self._span.first > 0
        self._n_before = 0
        self.n_tokens = batch.n_tokens
        self.n_embd = shape.n_embd
        self.positions = self.input(_position_parts(shape) * batch.n_tokens, element=I32)
        self.output_ids = self.input(batch.n_outputs, element=I32)
        self.embeddings = self._embed()

    def has(self, part: str) -> bool:
        """Whether the model has tensors named `part`; one that is metadata alone has all that are optional."""
        return self.shape.details.has(part, otherwise=True)

    def outputs_of(self, x: Tensor) -> Tensor:
        """The rows of those tokens whose logits are wanted (build_inp_out_ids, ggml_get_rows)."""
        return self.make((x.ne[0], self.batch.n_outputs), x, self.output_ids)

    def logits(self, x: Tensor) -> None:
        """Everything is computed for these: the normed stream and the logits."""
        if self._span.has_output:
            x.is_output = True
            x = self.mm(x, self.shape.n_vocab)
        self.finish(x)

    def finish(self, x: Tensor) -> None:
        """Everything is computed for `x`."""
        x.is_output = True
        self.expand(x)

    def keep_inputs_of(self, whole: "Forward") -> None:
        """Keep what the `whole` graph asks for: inputs are on the host, from where they are copied to other devices."""
        for tensor, original in zip(self.known_inputs, whole.known_inputs, strict=False):
            if original.is_seen:
                tensor.is_output = True
                self.expand(tensor)

    def places(self) -> Iterator[Place]:
        """The layers that run, without those that only repeat what has been twice: they find room that is there.

        Where the stream is handed over within a layer, that layer is the first of them.
        """
        layers, last = self.shape.layers, self.shape.n_layer - 1
        first, end = (min(il, self.shape.n_layer) for il in (self._span.first, self._span.end))
        if self._is_cut:
            yield Place(first - 1, layers[first - 1], first - 1 == last)
            self._n_before = len(self.products)
        for il in _telling(self.shape, first, end):
            yield Place(il, layers[il], il == last)

    def cut(self) -> None:
        """Leave out what other devices have computed before the stream is handed over."""
        before, own = self.products[: self._n_before], self.products[self._n_before :]
        if not self._is_cut or not before or not own:
            return
        if self._span.handed is Handed.UNFINISHED:
            self.start_at(max(map(self.steps.index, before)) + 1)
        else:
            self.start_at(min(map(self.steps.index, own)))

    def _embed(self) -> Tensor:
        """Rows of the embedding table, and room for embeddings handed in instead (build_inp_embd)."""
        width = self.shape.embeddings.n_embd_inp
        if not self._span.has_input:
            return self.input(self.n_embd, self.n_tokens)
        rows = self.make((self.n_embd, self.n_tokens), self.input(self.n_tokens, element=I32))
        if width != self.n_embd:
            rows = self.make((width, self.n_tokens), rows)
        if self.shape.architecture in _TOKENS_ONLY:
            return rows
        self.expand(rows, self.input(width, self.n_tokens))
        return rows if width == self.n_embd else self.view(rows, self.n_embd, self.n_tokens)
