"""The feed-forward parts: dense, and mixtures of experts (llama-graph.cpp, build_ffn and build_moe_ffn)."""

from dataclasses import dataclass

from quern.fit.shape.layer import Layer

from .block import Block, Dense, Mixture, Shared, SharedWidth
from .forward import Forward
from .tensor import I32, Tensor


@dataclass(frozen=True, slots=True)
class Experts:
    """How many experts there are, how many a token uses, how wide each is."""

    n_expert: int
    n_used: int
    n_ff: int


def feed(graph: Forward, block: Block, layer: Layer, x: Tensor) -> Tensor:
    """The feed-forward part of one layer."""
    if not layer.has_experts or block.mixture is None:
        return dense(graph, block.dense, x, layer.n_ff // 2 if block.halves_width else layer.n_ff)
    mixed = mixture(graph, block.mixture, experts_of(graph, block.mixture, layer), x)
    width = shared_width(graph, block, layer)
    if width == 0:
        return mixed
    match block.shared:
        case Shared.NONE:
            return mixed
        case Shared.ADDED:
            return graph.like(mixed, dense(graph, block.dense, x, width))
        case Shared.DENSE:
            return graph.like(dense(graph, block.dense, x, layer.n_ff), mixed)
        case Shared.GATED_LATE:
            fed = dense(graph, block.dense, x, width)
            return graph.like(mixed, graph.like(fed, graph.like(graph.mm(x, 1))))
        case Shared.GATED:
            asked = graph.mm(x, 1)
            gate = graph.like(graph.like(asked), asked)
            return graph.like(mixed, graph.like(dense(graph, block.dense, x, width), gate))


def experts_of(graph: Forward, rules: Mixture, layer: Layer) -> Experts:
    """The experts of `layer`."""
    width = layer.n_ff if rules.is_dense_wide else layer.n_ff_expert
    return Experts(graph.shape.experts.n_expert, layer.n_expert_used, width)


def shared_width(graph: Forward, block: Block, layer: Layer) -> int:
    """How wide the expert is that all tokens use."""
    experts = graph.shape.experts
    side_by_side = layer.n_ff_expert * max(1, experts.n_shared)
    match block.shared_width:
        case SharedWidth.EXPERTS:
            return side_by_side
        case SharedWidth.SAID_OR_EXPERTS:
            return experts.n_ff_shared or side_by_side
        case SharedWidth.SAID:
            return experts.n_ff_shared
        case SharedWidth.SAID_EACH:
            return (experts.n_ff_shared or layer.n_ff_expert) * experts.n_shared
        case SharedWidth.ONE:
            return layer.n_ff_expert


def dense(graph: Forward, kind: Dense, x: Tensor, n_ff: int) -> Tensor:
    """A dense part, `n_ff` wide."""
    match kind:
        case Dense.GATED:
            up, gate = graph.mm(x, n_ff), graph.mm(x, n_ff)
            act = graph.make(gate.ne, gate, up)
        case Dense.HALVED:
            both = graph.mm(x, 2 * n_ff)
            act = graph.make((n_ff, *both.ne[1:]), both)
        case Dense.PLAIN:
            act = graph.like(graph.mm(x, n_ff))
    return graph.mm(act, x.ne[0])


def mixture(graph: Forward, rules: Mixture, experts: Experts, x: Tensor, logits: Tensor | None = None) -> Tensor:
    """The weighted sum of the chosen experts' results for `x`; `logits` where the router has looked already."""
    n_embd, n_tokens, n_used = x.ne[0], x.ne[1], experts.n_used
    chosen, weights = _choose(graph, rules, experts, graph.mm(x, experts.n_expert) if logits is None else logits)
    graph.expand(weights)
    row = graph.view(x, n_embd, 1, n_tokens)
    if rules.weighs_first:
        row = graph.like(graph.make((n_embd, n_used, n_tokens), row), weights)
    hidden = _hidden(graph, rules, experts, row, chosen)
    results = _scaled(graph, rules, experts, graph.make((n_embd, n_used, n_tokens), hidden, chosen), chosen)
    graph.products.append(results)
    if not rules.weighs_first:
        results = graph.like(results, weights)
    graph.expand(results)
    # The experts' results are added up in one place, at once; that of a single one is copied later.
    total = graph.make((n_embd, n_tokens), graph.view(results, n_embd, n_tokens))
    if n_used > 1:
        graph.expand(total)
    return total


def _hidden(graph: Forward, rules: Mixture, experts: Experts, row: Tensor, chosen: Tensor) -> Tensor:
    """What the chosen experts make of `row`, before their last matrix."""
    n_ff, (n_used, n_tokens) = experts.n_ff, chosen.ne
    if rules.is_merged:
        both = graph.make((2 * n_ff, n_used, n_tokens), row, chosen)
        return graph.make((n_ff, n_used, n_tokens), both)
    up = _scaled(graph, rules, experts, graph.make((n_ff, n_used, n_tokens), row, chosen), chosen)
    if not rules.has_gate:
        return graph.like(up)
    gate = _scaled(graph, rules, experts, graph.make((n_ff, n_used, n_tokens), row, chosen), chosen)
    return graph.make(up.ne, gate, up)


def _scaled(graph: Forward, rules: Mixture, experts: Experts, x: Tensor, chosen: Tensor) -> Tensor:
    """Each expert's result times its own number (build_lora_mm_id)."""
    if not rules.is_scaled:
        return x
    n_used, n_tokens = chosen.ne
    repeated = graph.fetch(1, experts.n_expert, n_tokens)
    return graph.like(x, graph.make((1, n_used, n_tokens), repeated, chosen))


def _choose(graph: Forward, rules: Mixture, experts: Experts, logits: Tensor) -> tuple[Tensor, Tensor]:
    """Return which experts each token uses, and with what weight."""
    n_expert, n_used, n_tokens = experts.n_expert, experts.n_used, logits.ne[1]
    probs = logits if rules.softmax_late else graph.like(logits)
    judged = graph.like(probs) if rules.is_biased else probs
    if rules.judges_logits:
        judged = logits
    elif rules.judges_apart:
        judged = graph.like(logits)
    if graph.shape.experts.n_groups > 1:
        judged = _masked(graph, judged, graph.shape.experts.n_groups)
    order = graph.make((n_expert, n_tokens), judged, element=I32)
    chosen = graph.view(order, n_used, n_tokens)
    weights = graph.make((1, n_used, n_tokens), graph.view(probs, 1, n_expert, n_tokens), chosen)
    if rules.softmax_late:
        weights = graph.view(graph.like(graph.view(weights, n_used, n_tokens)), 1, n_used, n_tokens)
    if rules.norms or graph.shape.details.norms_weights:
        flat = graph.view(weights, n_used, n_tokens)
        total = graph.like(graph.make((1, n_tokens), flat))
        weights = graph.view(graph.like(flat, total), 1, n_used, n_tokens)
    return chosen, weights


def _masked(graph: Forward, judged: Tensor, n_groups: int) -> Tensor:
    """Only experts of the best groups stay in the choice; half the groups are taken for the best."""
    n_expert, n_tokens = judged.ne
    size, n_best = n_expert // n_groups, max(1, n_groups // 2)
    groups = graph.view(judged, size, n_groups, n_tokens)
    best = graph.view(graph.make((size, n_groups, n_tokens), groups, element=I32), 2, n_groups, n_tokens)
    scores = graph.make((1, 2, n_groups, n_tokens), groups, best)
    sums = graph.make((1, n_groups, n_tokens), graph.view(scores, 2, n_groups, n_tokens))
    order = graph.make((n_groups, n_tokens), graph.view(sums, n_groups, n_tokens), element=I32)
    kept = graph.view(order, n_best, n_tokens)
    rows = graph.make((size, n_best, n_tokens), groups, kept)
    masked = graph.write(graph.like(groups), rows, kept)
    return graph.view(masked, n_expert, n_tokens)
