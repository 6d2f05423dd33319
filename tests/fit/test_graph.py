"""The allocator's rules, on graphs small enough to lay out by hand."""

from quern.fit.graph.replay import peak_bytes
from quern.fit.graph.tensor import F16, Graph

KIB = 1024


def test_results_in_a_row_take_turns() -> None:
    graph = Graph()
    x = graph.input(256)
    for _ in range(5):
        x = graph.make((256,), x)
    graph.expand(x)
    assert peak_bytes(graph, 32) == 2 * KIB


def test_an_elementwise_result_takes_the_place_of_its_source() -> None:
    graph = Graph()
    x = graph.input(256)
    graph.expand(graph.like(graph.like(x)))
    assert peak_bytes(graph, 32) == KIB


def test_a_source_that_is_read_again_keeps_its_place() -> None:
    graph = Graph()
    x = graph.input(256)
    graph.expand(graph.like(graph.like(x), x))
    assert peak_bytes(graph, 32) == 2 * KIB


def test_a_view_keeps_what_it_looks_into() -> None:
    graph = Graph()
    x = graph.make((256,), graph.input(8))
    view = graph.view(x, 16, 16)
    graph.expand(graph.make((256,), x), graph.make((256,), view))
    assert peak_bytes(graph, 32) == 3 * KIB + 32


def test_an_output_is_never_given_back() -> None:
    graph = Graph()
    x = graph.make((256,), graph.input(8))
    x.is_output = True
    graph.expand(graph.make((256,), graph.make((256,), x)))
    assert peak_bytes(graph, 32) == 3 * KIB + 32


def test_the_smallest_free_block_that_is_large_enough_is_taken() -> None:
    graph = Graph()
    large, small = graph.input(512), graph.input(128)
    kept = graph.input(8)
    graph.expand(large, kept, small)
    graph.store(large)
    graph.store(small)
    x = graph.make((128,), kept)
    graph.expand(x, graph.make((512,), x))
    assert peak_bytes(graph, 32) == 2 * KIB + 32 + KIB // 2


def test_neighbouring_free_blocks_become_one() -> None:
    graph = Graph()
    inputs = [graph.input(256) for _ in range(3)]
    kept = graph.input(8)
    graph.expand(*inputs, kept)
    for tensor in (inputs[0], inputs[2], inputs[1]):
        graph.store(tensor)
    graph.expand(graph.make((3 * 256,), kept))
    assert peak_bytes(graph, 32) == 3 * KIB + 32


def test_every_result_is_padded() -> None:
    graph = Graph()
    graph.expand(graph.input(3, element=F16), graph.input(1))
    assert peak_bytes(graph, 32) == 64
    graph = Graph()
    graph.expand(graph.input(3, element=F16), graph.input(1))
    assert peak_bytes(graph, 128) == 256
