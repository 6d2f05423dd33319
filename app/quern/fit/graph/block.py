"""What distinguishes the blocks of one architecture from those of another."""

from dataclasses import dataclass
from enum import Enum


class Norm(Enum):
    """RMS can be done in place, LAYER needs room; NONE is not there."""

    RMS = 1
    LAYER = 2
    NONE = 3


class HeadNorm(Enum):
    """Queries and keys normed: not, head by head before or after they are turned, or all heads as one row."""

    NONE = 1
    EACH = 2
    AFTER_ROPE = 3
    WHOLE = 4


class Rope(Enum):
    """Which layers turn queries and keys by position: all, none, those with a window (or without experts), all but
    every fourth, all but the first of four.
    """

    ALWAYS = 1
    NEVER = 2
    WINDOW = 3
    NOT_FOURTH = 4
    NOT_FIRST_OF_FOUR = 5
    WINDOW_OR_DENSE = 6


class Residual(Enum):
    """How stream, attention and feed-forward are joined; it decides what must be kept for how long.

    SEQUENTIAL: feed-forward on the sum of attention and stream; then its result and that sum. STREAM_FIRST begins the
    first sum with the stream, SUM_FIRST the second with the first, BOTH_FIRST does both. The others work on the stream
    side by side: PARALLEL sums feed-forward, attention, stream; ATTENTION_FIRST attention, feed-forward, stream;
    STREAM_BETWEEN feed-forward, stream, attention, as does OWN_NORM with a norm for each part; TWO_NORMS (falcon) is
    PARALLEL with a second norm.
    """

    SEQUENTIAL = 1
    STREAM_FIRST = 2
    SUM_FIRST = 3
    PARALLEL = 4
    ATTENTION_FIRST = 5
    STREAM_BETWEEN = 6
    OWN_NORM = 7
    TWO_NORMS = 8
    BOTH_FIRST = 9


class Gate(Enum):
    """Attention's result is multiplied by a gate: none, one as wide as itself, or one number a head."""

    NONE = 1
    WIDE = 2
    HEADS = 3


class Dense(Enum):
    """GATED: up and gate side by side; HALVED: both in one product; PLAIN: up alone, an activation in its place."""

    GATED = 1
    HALVED = 2
    PLAIN = 3


class Shared(Enum):
    """What all tokens use beside the mixture: nothing, an expert that is added, one with a gate of its own
    (qwen2moe: computed first; qwen3next: last), the dense part (grok).
    """

    NONE = 1
    ADDED = 2
    GATED = 3
    DENSE = 4
    GATED_LATE = 5


class SharedWidth(Enum):
    """How wide that expert is: as many experts side by side as are shared, or what the header says for one (SAID), for
    one if it says so (SAID_OR_EXPERTS), for each of them (SAID_EACH), or one expert.
    """

    EXPERTS = 1
    SAID = 2
    SAID_EACH = 3
    ONE = 4
    SAID_OR_EXPERTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """How a mixture of experts chooses and weighs.

    `is_biased` adds a bias for the choice only; `judges_logits` chooses by the logits, `judges_apart` by another
    function of them; `softmax_late` takes the softmax of the chosen ones. `norms` divides the weights by their sum,
    whatever the header says. `has_gate` False has no gate; `is_merged` has up and gate in one product; `weighs_first`
    weighs what goes in. `is_dense_wide` gives experts the width of the dense part, whatever else the header says;
    `is_scaled` multiplies what each expert makes by a number of its own.
    """

    is_biased: bool = False
    judges_logits: bool = False
    judges_apart: bool = False
    softmax_late: bool = False
    norms: bool = False
    has_gate: bool = True
    is_merged: bool = False
    weighs_first: bool = False
    is_dense_wide: bool = False
    is_scaled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The defaults are llama's.

    `is_fused` has one matrix for queries, keys and values; `fuses_whole_heads` three times as wide as the stream.
    `scales_q` multiplies queries. `norms_before` and `norms_after` say where the parts are normed, `sub_norm` between
    attention and its last matrix. `dense` is the feed-forward part of layers without experts, `mixture` (None: there
    are never any) and `shared` that of those with; `halves_width` halves what the header says of it (qwen).
    `embeds_positions` adds a row for each position to the embeddings, `norms_embeddings` norms them. `outputs_all`
    computes logits of every token, `has_logits` False hands back the normed stream, `crops_late` leaves the last layer
    all tokens.
    """

    norm: Norm = Norm.RMS
    is_fused: bool = False
    fuses_whole_heads: bool = False
    head_norm: HeadNorm = HeadNorm.NONE
    head_norm_kind: Norm = Norm.RMS
    rope: Rope = Rope.ALWAYS
    scales_q: bool = False
    gate: Gate = Gate.NONE
    residual: Residual = Residual.SEQUENTIAL
    norms_before: bool = True
    norms_after: bool = False
    sub_norm: bool = False
    dense: Dense = Dense.GATED
    halves_width: bool = False
    mixture: Mixture | None = Mixture(norms=True)
    shared: Shared = Shared.NONE
    shared_width: SharedWidth = SharedWidth.EXPERTS
    embeds_positions: bool = False
    norms_embeddings: Norm = Norm.NONE
    outputs_all: bool = False
    has_logits: bool = True
    crops_late: bool = False
