"""Reads a C++ `std::map` of plain 8-byte words that a native function returned by value.

Both libraries build a red-black tree. What a returned map and its nodes look like in memory (words of 8 bytes):

    libstdc++ (stl_tree.h)   map:  compare, color, root, leftmost, rightmost, count      (48 bytes)
                             node: color, parent, left, right, key, value...
    libc++ (__tree)          map:  leftmost, root, count                                 (24 bytes)
                             node: left, right, parent, color, key, value...
"""

from collections.abc import Callable
from dataclasses import dataclass
from struct import unpack

ReadMemory = Callable[[int, int], bytes]
"""Return `length` bytes at an address; raises OSError where nothing can be read."""

WORD_BYTES = 8
MAX_ENTRIES = 256
NODE_WORDS = 4


class UnexpectedLayout(ValueError):
    """The memory does not hold such a map."""


@dataclass(frozen=True, slots=True)
class MapLayout:
    """Where a library keeps what, counted in words: `size`, `root` and `count` of the map, children of a node."""

    size: int
    root: int
    count: int
    left: int
    right: int


LIBSTDCXX = MapLayout(size=6, root=2, count=5, left=2, right=3)
LIBCXX = MapLayout(size=3, root=1, count=2, left=0, right=1)

Entries = dict[int, tuple[int, ...]]


def read_map(head: bytes, layout: MapLayout, n_value_words: int, read: ReadMemory) -> Entries:
    """Return the entries of the map whose own bytes are `head`: key to the words of its value, by ascending key.

    Raises UnexpectedLayout where the tree is not one: its count wrong, its keys not sorted, its nodes not readable.
    """
    words = _words(head[: layout.size * WORD_BYTES])
    count = words[layout.count]
    if count > MAX_ENTRIES:
        raise UnexpectedLayout(f"a map of {count} entries")
    entries: Entries = {}
    open_nodes: list[tuple[int, ...]] = []
    address = words[layout.root] if count else 0
    length = (NODE_WORDS + 1 + n_value_words) * WORD_BYTES
    while open_nodes or address:
        while address:
            open_nodes.append(_node(address, length, read))
            if len(open_nodes) > MAX_ENTRIES:
                raise UnexpectedLayout("a tree that is too deep")
            address = open_nodes[-1][layout.left]
        node = open_nodes.pop()
        key = node[NODE_WORDS]
        if len(entries) >= count or (entries and key <= next(reversed(entries))):
            raise UnexpectedLayout("a tree that is not sorted or larger than it says")
        entries[key] = node[NODE_WORDS + 1 :]
        address = node[layout.right]
    if len(entries) != count:
        raise UnexpectedLayout(f"{len(entries)} entries in place of {count}")
    return entries


def _node(address: int, length: int, read: ReadMemory) -> tuple[int, ...]:
    try:
        data = read(address, length)
    except OSError as error:
        raise UnexpectedLayout(f"no memory at {address:#x}") from error
    return _words(data)


def _words(data: bytes) -> tuple[int, ...]:
    return unpack(f"<{len(data) // WORD_BYTES}Q", data)
