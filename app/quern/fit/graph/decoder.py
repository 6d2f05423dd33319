"""A stack of attention and feed-forward blocks, the body of most models (llama.cpp: src/models/*.cpp)."""

from collections.abc import Callable

from .attention import Attention
from .block import Block, Gate, HeadNorm, Norm, Residual, Rope
from .feed_forward import feed
from .filed import filed
from .forward import Forward, Place
from .tensor import Tensor

Mixer = Callable[[Place, Tensor], Tensor]  # what makes a layer's tokens see each other: attention, or a state


def decode(graph: Forward, block: Block, mixer: Mixer | None = None) -> None:
    """Build the whole graph of a decoder; `mixer` in place of plain attention."""
    block = filed(block, graph.shape.details.parts)
    mix = mixer or attention_of(graph, block)
    x = enter(graph, block)
    for place in graph.places():
        x = layer_of(graph, block, mix, place, x)
    x = norm(graph, x, block.norm)
    if block.crops_late:
        x = graph.outputs_of(x)
    if block.has_logits:
        graph.logits(x)
    else:
        graph.finish(x)


def attention_of(graph: Forward, block: Block) -> Mixer:
    """Plain attention as a mixer."""
    attention, own = Attention(graph), filed(block, graph.shape.details.parts)
    return lambda place, x: attend(graph, own, attention, place, x)


def norm(graph: Forward, x: Tensor, kind: Norm) -> Tensor:
    """`x` normed."""
    match kind:
        case Norm.RMS:
            return graph.like(x)
        case Norm.LAYER:
            return graph.make(x.ne, x)
        case Norm.NONE:
            return x


def enter(graph: Forward, block: Block) -> Tensor:
    """The embeddings as the first layer gets them."""
    x = graph.embeddings
    if block.embeds_positions:
        x = graph.like(x, graph.make((graph.n_embd, graph.n_tokens), graph.positions))
    return norm(graph, x, block.norms_embeddings)


def layer_of(graph: Forward, block: Block, mix: Mixer, place: Place, x: Tensor) -> Tensor:
    """One layer on the stream `x`."""
    normed = norm(graph, x, block.norm) if block.norms_before else x
    asked = norm(graph, x, block.norm) if block.residual is Residual.TWO_NORMS else normed
    seen = mix(place, asked)
    if place.is_last and not (block.outputs_all or block.crops_late):
        seen, x = graph.outputs_of(seen), graph.outputs_of(x)
    match block.residual:
        case Residual.SEQUENTIAL | Residual.STREAM_FIRST | Residual.SUM_FIRST | Residual.BOTH_FIRST:
            return _in_turn(graph, block, place, seen, x)
        case Residual.OWN_NORM:
            normed = norm(graph, x, block.norm)
        case _ if place.is_last and not (block.outputs_all or block.crops_late):
            normed = graph.outputs_of(normed)
        case _:
            pass
    fed = feed(graph, block, place.layer, normed)
    match block.residual:
        case Residual.ATTENTION_FIRST:
            return graph.like(graph.like(seen, fed), x)
        case Residual.STREAM_BETWEEN | Residual.OWN_NORM:
            return graph.like(graph.like(fed, x), seen)
        case _:
            return graph.like(graph.like(fed, seen), x)


def _in_turn(graph: Forward, block: Block, place: Place, seen: Tensor, x: Tensor) -> Tensor:
    """Feed-forward on the sum of stream and attention."""
    if block.norms_after:
        seen = norm(graph, seen, block.norm)
    starts_with_stream = block.residual in {Residual.STREAM_FIRST, Residual.BOTH_FIRST}
    starts_with_sum = block.residual in {Residual.SUM_FIRST, Residual.BOTH_FIRST}
    summed = graph.like(x, seen) if starts_with_stream else graph.like(seen, x)
    fed = feed(graph, block, place.layer, norm(graph, summed, block.norm) if block.norms_before else summed)
    if block.norms_after:
        fed = norm(graph, fed, block.norm)
        graph.products.append(fed)
    return graph.like(summed, fed) if starts_with_sum else graph.like(fed, summed)


def attend(graph: Forward, block: Block, attention: Attention, place: Place, x: Tensor) -> Tensor:
    """Queries, keys and values of `x`, and what attention makes of them."""
    layer = place.layer
    q, k, v = project(graph, block, place, x)
    gate = None
    if block.gate is not Gate.NONE:
        gate = graph.mm(x, layer.n_head * (layer.value_length if block.gate is Gate.WIDE else 1))
    if block.head_norm is HeadNorm.EACH:
        q, k = norm(graph, q, block.head_norm_kind), norm(graph, k, block.head_norm_kind)
    if turns(block, place):
        q, k = graph.like(q, graph.positions), graph.like(k, graph.positions)
    if block.head_norm is HeadNorm.AFTER_ROPE:
        q, k = norm(graph, q, block.head_norm_kind), norm(graph, k, block.head_norm_kind)
    if block.scales_q:
        q = graph.like(q)
    seen = attention(layer, q, k, v)
    if block.sub_norm:
        seen = norm(graph, seen, block.norm)
    if gate is not None:
        seen = _gated(graph, block, place, seen, graph.like(gate))
    return graph.mm(seen, graph.n_embd)


def _gated(graph: Forward, block: Block, place: Place, seen: Tensor, gate: Tensor) -> Tensor:
    if block.gate is Gate.WIDE:
        return graph.like(seen, gate)
    layer, n_tokens = place.layer, seen.ne[1]
    heads = graph.view(seen, layer.value_length, layer.n_head, n_tokens)
    return graph.view(graph.like(heads, graph.view(gate, 1, layer.n_head, n_tokens)), *seen.ne)


def project(graph: Forward, block: Block, place: Place, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values, each [width, heads, tokens] (build_qkv)."""
    layer, n_tokens = place.layer, x.ne[1]
    sizes = (
        (layer.key_length, layer.n_head),
        (layer.key_length, layer.n_head_kv),
        (layer.value_length, layer.n_head_kv),
    )
    if block.is_fused:
        width = sum(width * count for width, count in sizes)
        parts = [graph.mm(x, 3 * graph.n_embd if block.fuses_whole_heads else width)] * 3
    else:
        parts = [graph.mm(x, width * count) for width, count in sizes]
    if block.head_norm is HeadNorm.WHOLE:
        parts[:2] = [norm(graph, part, block.head_norm_kind) for part in parts[:2]]
    q, k, v = (graph.view(part, *size, n_tokens) for part, size in zip(parts, sizes, strict=True))
    return q, k, v


def turns(block: Block, place: Place) -> bool:
    """Whether queries and keys are turned by position in this layer."""
    match block.rope:
        case Rope.ALWAYS:
            return True
        case Rope.NEVER:
            return False
        case Rope.WINDOW:
            return place.layer.slides
        case Rope.WINDOW_OR_DENSE:
            return place.layer.slides or not place.layer.has_experts
        case Rope.NOT_FOURTH:
            return (place.il + 1) % 4 != 0
        case Rope.NOT_FIRST_OF_FOUR:
            return place.il % 4 != 0
