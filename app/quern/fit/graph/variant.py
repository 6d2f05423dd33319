"""Decoders that do one thing in their own way (llama.cpp: the files in src/models of the same names)."""

from dataclasses import replace

from .block import Block, Gate, HeadNorm, Mixture, Rope
from .decoder import attention_of, decode, enter, layer_of, norm
from .feed_forward import Experts, dense, experts_of, feed, mixture
from .forward import Forward

_FOUR = 4  # smallthinker.cpp: "every fourth layer" is "no layer" in a model of four
_HIDDEN_ENTRIES = 8192  # chameleon.cpp: the vocabulary's entries for pictures


def baichuan(graph: Forward, block: Block) -> None:
    """Only the model of 32 layers turns by position."""
    turns = graph.shape.n_layer == 32
    decode(graph, block if turns else replace(block, rope=Rope.NEVER))


def talkie(graph: Forward) -> None:
    """Every layer adds a share of the embeddings."""
    block = Block(head_norm=HeadNorm.AFTER_ROPE)
    mix = attention_of(graph, block)
    skip = x = graph.like(graph.embeddings)
    for place in graph.places():
        x = layer_of(graph, block, mix, place, x)
        x = graph.like(x, graph.like(graph.outputs_of(skip) if place.is_last else skip))
    graph.logits(graph.like(x))


def arctic(graph: Forward) -> None:
    """A dense part and, on the stream as it was before attention, a mixture."""
    block = Block(mixture=Mixture(norms=True, is_dense_wide=True))
    mix, rules = attention_of(graph, block), Mixture(norms=True, is_dense_wide=True)
    x = graph.embeddings
    for place in graph.places():
        seen = mix(place, graph.like(x))
        if place.is_last:
            seen, x = graph.outputs_of(seen), graph.outputs_of(x)
        summed = graph.like(seen, x)
        fed = graph.like(dense(graph, block.dense, graph.like(summed), graph.n_embd), summed)
        mixed = mixture(graph, rules, experts_of(graph, rules, place.layer), graph.like(x))
        x = graph.like(mixed, fed)
    graph.logits(graph.like(x))


def grovemoe(graph: Forward) -> None:
    """Two mixtures, one after the other, that one router serves."""
    block = Block(head_norm=HeadNorm.EACH)
    mix, rules = attention_of(graph, block), Mixture(judges_apart=True, norms=True)
    x = graph.embeddings
    for place in graph.places():
        seen = mix(place, graph.like(x))
        if place.is_last:
            seen, x = graph.outputs_of(seen), graph.outputs_of(x)
        summed = graph.like(seen, x)
        normed = graph.like(summed)
        experts = experts_of(graph, rules, place.layer)
        logits = graph.mm(normed, experts.n_expert)
        first = mixture(graph, rules, experts, normed, logits)
        chunks = Experts(experts.n_expert, experts.n_used, graph.shape.experts.n_ff_chunk or place.layer.key_length)
        second = mixture(graph, rules, chunks, first, logits)
        x = graph.like(graph.like(first, graph.like(second)), summed)
    graph.logits(graph.like(x))


def smallthinker(graph: Forward) -> None:
    """The router looks at the stream before attention does."""
    is_always_turned = graph.shape.n_layer == _FOUR or not any(layer.slides for layer in graph.shape.layers)
    block = Block(rope=Rope.ALWAYS if is_always_turned else Rope.NOT_FIRST_OF_FOUR)
    mix, rules = attention_of(graph, block), Mixture(norms=True)
    x = graph.embeddings
    for place in graph.places():
        experts = experts_of(graph, rules, place.layer)
        logits = graph.mm(x, experts.n_expert)
        seen = mix(place, graph.like(x))
        if place.is_last:
            seen, x, logits = graph.outputs_of(seen), graph.outputs_of(x), graph.outputs_of(logits)
        summed = graph.like(seen, x)
        x = graph.like(mixture(graph, rules, experts, graph.like(summed), logits), summed)
    graph.logits(graph.like(x))


def deci(graph: Forward) -> None:
    """Layers without attention, with a mere matrix for it, or without a feed-forward part."""
    block = Block(mixture=None)
    mix = attention_of(graph, block)
    x = graph.embeddings
    for place in graph.places():
        layer = place.layer
        seen = graph.like(x) if layer.n_head else x
        if layer.n_head and layer.n_head_kv:
            seen = mix(place, seen)
        elif layer.n_head:
            seen = graph.mm(seen, graph.n_embd)
        stream = x
        if place.is_last:
            seen, stream = graph.outputs_of(seen), graph.outputs_of(x)
        if layer.n_ff == 0:
            continue
        summed = graph.like(seen, stream) if layer.n_head else seen
        x = graph.like(feed(graph, block, layer, graph.like(summed)), summed)
    graph.logits(graph.like(x))


def chameleon(graph: Forward, block: Block) -> None:
    """The logits of pictures are overwritten in a copy."""
    mix = attention_of(graph, block)
    x = enter(graph, block)
    for place in graph.places():
        x = layer_of(graph, block, mix, place, x)
    x = norm(graph, x, block.norm)
    x.is_output = True
    blanks = graph.like(graph.input(_HIDDEN_ENTRIES))
    logits = graph.make((graph.shape.n_vocab, x.ne[1]), graph.mm(x, graph.shape.n_vocab), blanks)
    logits.is_output = True
    graph.expand(logits)


def hrm_text(graph: Forward) -> None:
    """Two streams take turns: in every cycle, the lower runs its stack `l_cycles` times and then the higher once."""
    block = Block(gate=Gate.WIDE, mixture=None)
    mix = attention_of(graph, block)
    places = list(graph.places())
    details = graph.shape.details
    n_turns = details.l_cycles + 1
    n_stack = max(1, len(places) // max(1, details.h_cycles * n_turns))
    high, low = graph.embeddings, None
    for start in range(0, len(places), n_stack):
        x = graph.like(high) if low is None else graph.like(high, low)
        for place in places[start : start + n_stack]:
            x = layer_of(graph, block, mix, replace(place, is_last=False), x)
        x = graph.like(x)
        if start // n_stack % n_turns == n_turns - 1:
            high = x
        else:
            low = x
    graph.logits(graph.outputs_of(high))
