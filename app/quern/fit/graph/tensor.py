"""A computation graph as its memory sees it: what each step reads, how large its result is, whose place it can take.

It mirrors the rules of ggml.c (ggml_build_forward_expand: sources first, in order) and ggml-alloc.c (which operations
may write over a source); operations themselves are not told apart. Weights and caches live elsewhere and are left out.
"""

from __future__ import annotations

Shape = tuple[int, ...]

F32, F16, I32, I64 = 4, 2, 4, 8  # bytes of an element
NOT_PLACED = -1


class Tensor:
    """A result or an input, or a view of one: then `base` is what it looks into, else None.

    `ne` are the elements along each dimension, the fastest first, of `element` bytes each. `may_replace` says that the
    operation may write over a source of the same layout. `is_output` marks what is handed back and thus never freed.
    `is_step` tells an operation from an input or a mere view. The rest belongs to the allocator: `last_use` is the
    position of the last step that reads the tensor or a view of it, `offset` and `size` are where it lies.
    """

    __slots__ = (
        "base", "element", "is_output", "is_seen", "is_step", "last_use", "may_replace", "ne", "offset", "size",
        "source",
    )  # fmt: skip

    def __init__(self, ne: Shape, element: int, source: tuple[Tensor, ...], may_replace: bool) -> None:
        self.ne = ne
        self.element = element
        self.source = source
        self.may_replace = may_replace
        self.base: Tensor | None = None
        self.is_step = bool(source)
        self.is_output = False
        self.is_seen = False
        self.last_use = -1
        self.offset = 0
        self.size = NOT_PLACED


class Graph:
    """Steps in the order in which they will run; `inputs` that are used come before all of them.

    `products` are results of a matrix of weights, in the order in which they were asked for.
    """

    def __init__(self) -> None:
        self.known_inputs: list[Tensor] = []
        self.products: list[Tensor] = []
        self.inputs: list[Tensor] = []
        self.steps: list[Tensor] = []

    def input(self, *ne: int, element: int = F32) -> Tensor:
        """An input; it takes room only if a step reads it or it is expanded itself."""
        tensor = Tensor(ne, element, (), False)
        self.known_inputs.append(tensor)
        return tensor

    def make(self, ne: Shape, *source: Tensor, element: int = F32) -> Tensor:
        """The result of an operation that needs room of its own."""
        return Tensor(ne, element, source, False)

    def fetch(self, *ne: int, element: int = F32) -> Tensor:
        """The result of a step that reads weights or caches alone."""
        result = Tensor(ne, element, (), False)
        result.is_step = True
        return result

    def like(self, x: Tensor, *others: Tensor) -> Tensor:
        """The result of an elementwise operation on `x`, which may take the place of a source of its layout."""
        return Tensor(x.ne, x.element, (x, *others), True)

    def view(self, x: Tensor, *ne: int) -> Tensor:
        """Part of `x`, or all of it in another shape, without room of its own."""
        view = Tensor(ne, x.element, (x,), False)
        view.base = x.base or x
        view.is_step = False
        return view

    def write(self, into: Tensor, *source: Tensor) -> Tensor:
        """`into` after a step has written `source` into it."""
        written = Tensor(into.ne, into.element, (*source, into), False)
        written.base = into.base or into
        return written

    def add_into(self, into: Tensor, *source: Tensor) -> Tensor:
        """`into` after a step has added `source` to it where it lies."""
        added = Tensor(into.ne, into.element, (into, *source), False)
        added.base = into.base or into
        return added

    def mm(self, x: Tensor, n_out: int) -> Tensor:
        """`x` times a matrix of weights with rows of `n_out` elements as the result."""
        product = Tensor((n_out, *x.ne[1:]), F32, (x,), False)
        self.products.append(product)
        return product

    def store(self, *source: Tensor) -> None:
        """Write `source` into a cache, which is no tensor of this graph."""
        self.expand(Tensor((0,), F32, source, False))

    def expand(self, *tensors: Tensor) -> None:
        """Append the steps that `tensors` need, sources first, and they themselves."""
        for tensor in tensors:
            if not tensor.is_seen:
                self._visit(tensor)

    def start_at(self, position: int) -> None:
        """Forget the steps before `position`; what they have made becomes input, in the order in which it is read."""
        forgotten, self.steps = set(self.steps[:position]), self.steps[position:]
        self.inputs = []
        known = set(self.steps)
        for step in self.steps:
            for source in step.source:
                root = source.base or source
                if root not in known:
                    known.add(root)
                    root.is_step = root.is_step and root not in forgotten
                    self.inputs.append(root)

    def _visit(self, tensor: Tensor) -> None:
        tensor.is_seen = True
        for source in tensor.source:
            if not source.is_seen:
                self._visit(source)
        if tensor.is_step:
            self.steps.append(tensor)
        elif tensor.base is None:
            self.inputs.append(tensor)
