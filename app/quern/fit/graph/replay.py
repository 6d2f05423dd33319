"""Plays the graph allocator: how large the one buffer must be in which a graph's results take turns.

The rules are those of ggml/src/ggml-alloc.c (ggml_gallocr_alloc_graph_impl, ggml_dyn_tallocr_alloc and _free_bytes):
the smallest free block that is large enough, the last one (which has no end) only if no other is; a result is freed
after its last reader, an output never.
"""

from bisect import bisect_left
from math import prod

from .tensor import NOT_PLACED, Graph, Tensor

_ENDLESS = 1 << 62


def peak_bytes(graph: Graph, alignment: int) -> int:
    """Return the bytes that `graph` needs at most at once, each result padded to `alignment`."""
    arena = _Arena(alignment)
    for tensor in graph.inputs:
        arena.place(tensor)
    for position, step in enumerate(graph.steps):
        for source in step.source:
            (source.base or source).last_use = position
    for position, step in enumerate(graph.steps):
        if step.base is None and not (step.may_replace and _take_over(step, position)):
            arena.place(step)
        for source in step.source:
            root = source.base or source
            if root.last_use == position and root.size != NOT_PLACED and not root.is_output:
                arena.free(root)
    return arena.top


def _take_over(step: Tensor, position: int) -> bool:
    """Write over the first source that nothing else reads any more and that has the same layout."""
    sources = step.source
    for source in sources:
        if (
            source.last_use == position
            and source.ne == step.ne
            and source.size != NOT_PLACED
            and source.element == step.element
            and not source.is_output
            and (len(sources) == 1 or sum([(other.base or other) is source for other in sources]) == 1)
        ):
            step.offset, step.size = source.offset, source.size
            source.size = NOT_PLACED
            return True
    return False


class _Arena:
    """The buffer: its free blocks by address, and the highest address that was ever used."""

    def __init__(self, alignment: int) -> None:
        self._alignment = alignment
        self._offsets = [0]
        self._sizes = [_ENDLESS]
        self.top = 0

    def place(self, tensor: Tensor) -> None:
        """Give `tensor` the best free block."""
        size = -(-prod(tensor.ne) * tensor.element // self._alignment) * self._alignment
        sizes = self._sizes
        best, best_size = len(sizes) - 1, _ENDLESS
        for index in range(best):
            if size <= sizes[index] <= best_size:
                best, best_size = index, sizes[index]
        offset = self._offsets[best]
        tensor.offset, tensor.size = offset, size
        if sizes[best] == size:
            del sizes[best], self._offsets[best]
        else:
            sizes[best] -= size
            self._offsets[best] = offset + size
        if offset + size > self.top:
            self.top = offset + size

    def free(self, tensor: Tensor) -> None:
        """Give the block of `tensor` back and merge it with its free neighbours."""
        offset, size = tensor.offset, tensor.size
        tensor.size = NOT_PLACED
        offsets, sizes = self._offsets, self._sizes
        index = bisect_left(offsets, offset)
        joins_previous = index > 0 and offsets[index - 1] + sizes[index - 1] == offset
        if offset + size == offsets[index]:
            offsets[index] = offset
            sizes[index] += size
            if joins_previous:
                sizes[index - 1] += sizes.pop(index)
                del offsets[index]
        elif joins_previous:
            sizes[index - 1] += size
        else:
            offsets.insert(index, offset)
            sizes.insert(index, size)
