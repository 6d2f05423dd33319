"""Maps of both C++ libraries, laid out byte by byte, and what is no map."""

from collections.abc import Callable
from dataclasses import dataclass, field
from struct import pack

import pytest

from quern.llama.cxx_map import LIBCXX, LIBSTDCXX, MAX_ENTRIES, MapLayout, ReadMemory, UnexpectedLayout, read_map

BASE = 0x7F00_0000_0000
NODE_BYTES = 128
COLOR = 0x0001


@dataclass
class Memory:
    """Nodes at addresses, as a C++ library would have put them there."""

    nodes: dict[int, bytes] = field(default_factory=dict[int, bytes])

    def read(self, address: int, length: int) -> bytes:
        if address not in self.nodes:
            raise OSError(14, "bad address")
        return self.nodes[address].ljust(length, b"\xee")[:length]


def lay_out(
    entries: dict[int, tuple[int, ...]], node: Callable[[int, int, int, int, tuple[int, ...]], bytes]
) -> Memory:
    """Write a balanced tree; the node of the n-th smallest key is at BASE + n * NODE_BYTES."""
    memory, keys = Memory(), sorted(entries)

    def write(low: int, high: int, parent: int) -> int:
        if low >= high:
            return 0
        middle = (low + high) // 2
        address = BASE + middle * NODE_BYTES
        left, right = write(low, middle, address), write(middle + 1, high, address)
        memory.nodes[address] = node(left, right, parent, keys[middle], entries[keys[middle]])
        return address

    write(0, len(keys), 0)
    return memory


def gnu_node(left: int, right: int, parent: int, key: int, value: tuple[int, ...]) -> bytes:
    return pack(f"<5Q{len(value)}Q", COLOR, parent, left, right, key, *value)


def llvm_node(left: int, right: int, parent: int, key: int, value: tuple[int, ...]) -> bytes:
    return pack(f"<5Q{len(value)}Q", left, right, parent, COLOR, key, *value)


def root_of(memory: Memory) -> int:
    n_nodes = len(memory.nodes)
    return BASE + n_nodes // 2 * NODE_BYTES if n_nodes else 0


def gnu_map(memory: Memory) -> bytes:
    count = len(memory.nodes)
    return pack("<6Q", 0xDEAD, COLOR, root_of(memory), BASE, BASE + (count - 1) * NODE_BYTES if count else 0, count)


def llvm_map(memory: Memory) -> bytes:
    return pack("<3Q", BASE, root_of(memory), len(memory.nodes)) + b"\xcc" * 24


LIBRARIES = [
    pytest.param(LIBSTDCXX, gnu_node, gnu_map, id="libstdc++"),
    pytest.param(LIBCXX, llvm_node, llvm_map, id="libc++"),
]
Node = Callable[[int, int, int, int, tuple[int, ...]], bytes]
Head = Callable[[Memory], bytes]


@pytest.mark.parametrize(("layout", "node", "head"), LIBRARIES)
@pytest.mark.parametrize("n_entries", [0, 1, 2, 3, 7, 12])
def test_every_entry_is_found_in_the_order_of_its_key(
    layout: MapLayout, node: Node, head: Head, n_entries: int
) -> None:
    entries = {0x1000 * (index + 1): (index, index * 10, index * 100) for index in range(n_entries)}
    memory = lay_out(entries, node)
    assert list(read_map(head(memory), layout, 3, memory.read).items()) == list(entries.items())


@pytest.mark.parametrize(("layout", "node", "head"), LIBRARIES)
def test_values_are_as_long_as_they_are_said_to_be(layout: MapLayout, node: Node, head: Head) -> None:
    memory = lay_out({5: (50,), 6: (60,)}, node)
    assert read_map(head(memory), layout, 1, memory.read) == {5: (50,), 6: (60,)}


def test_the_other_librarys_map_is_not_misread() -> None:
    memory = lay_out({index: (index,) for index in range(1, 6)}, gnu_node)
    with pytest.raises(UnexpectedLayout):
        read_map(gnu_map(memory), LIBCXX, 1, memory.read)


def refused(head: bytes, read: ReadMemory, layout: MapLayout = LIBSTDCXX) -> str:
    with pytest.raises(UnexpectedLayout) as error:
        read_map(head, layout, 1, read)
    return str(error.value)


def test_a_root_that_leads_nowhere_is_refused() -> None:
    assert "no memory" in refused(pack("<6Q", 0, 0, 0x1234, 0, 0, 1), Memory().read)


def test_a_count_that_is_out_of_the_question_is_refused() -> None:
    assert str(MAX_ENTRIES + 1) in refused(pack("<6Q", 0, 0, BASE, 0, 0, MAX_ENTRIES + 1), Memory().read)


def test_a_count_that_the_tree_does_not_hold_is_refused() -> None:
    memory = lay_out({1: (1,), 2: (2,), 3: (3,)}, gnu_node)
    for count in (2, 4):
        assert refused(pack("<6Q", 0, 0, root_of(memory), 0, 0, count), memory.read)


def test_keys_out_of_order_are_refused() -> None:
    memory = lay_out({1: (1,), 2: (2,), 3: (3,)}, gnu_node)
    memory.nodes[BASE] = gnu_node(0, 0, 0, 9, (1,))
    assert "sorted" in refused(gnu_map(memory), memory.read)


@pytest.mark.parametrize(("left", "right"), [(BASE, 0), (0, BASE)])
def test_a_tree_that_bites_its_tail_is_refused(left: int, right: int) -> None:
    memory = Memory({BASE: gnu_node(left, right, 0, 1, (1,))})
    assert refused(pack("<6Q", 0, 0, BASE, 0, 0, 1), memory.read)
