"""Headers that lie: good ones of every kind, changed where it hurts (lengths, counts, types, offsets) or anywhere."""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.gguf.forge import ARRAY, CHATML, I32, STRING, U64, Tensor, TinyModel, Typed, forge, forge_llama_model

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_HUGE = (
    2**16,
    2**20,
    2**22 + 1,
    2**28,
    2**31,
    2**32 - 1,
    2**33,
    2**40,
    2**48,
    2**60,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
)
_MOST_TEXTS_NOTED = 50  # lengths inside a long list that are worth a mutation


@dataclass(frozen=True, slots=True)
class Place:
    """A number in a header: `size` bytes at `offset`."""

    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Seed:
    """A good file, where its numbers are, and where its entries begin."""

    name: str
    data: bytes
    places: tuple[Place, ...]
    entries: tuple[int, ...]

    @property
    def n_header(self) -> int:
        """Where the header's last number ends."""
        return self.places[-1].offset + self.places[-1].size


class _Mapper:
    """Walks over a good header and notes every number in it."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 4
        self.places: list[Place] = []
        self.entries: list[int] = []

    def number(self, size: int) -> int:
        self.places.append(Place(self.at, size))
        value = int.from_bytes(self.data[self.at : self.at + size], "little")
        self.at += size
        return value

    def text(self) -> None:
        length = self.number(8)
        self.at += length

    def value(self) -> None:
        kind = self.number(4)
        if kind == STRING:
            self.text()
        elif kind == ARRAY:
            self.array()
        else:
            self.number(_SIZES[kind])

    def array(self) -> None:
        kind, count = self.number(4), self.number(8)
        if kind != STRING:
            self.at += count * _SIZES[kind]
            return
        for index in range(count):
            self.text()
            if index > _MOST_TEXTS_NOTED:
                self.places.pop()

    def tensor(self) -> None:
        self.text()
        for _ in range(self.number(4)):
            self.number(8)
        self.number(4)
        self.number(8)


def seed_of(name: str, data: bytes) -> Seed:
    """Return `data`, a good file, with its places."""
    mapper = _Mapper(data)
    mapper.number(4)
    n_tensors, n_metadata = mapper.number(8), mapper.number(8)
    for _ in range(n_metadata):
        mapper.entries.append(mapper.at)
        mapper.text()
        mapper.value()
    for _ in range(n_tensors):
        mapper.entries.append(mapper.at)
        mapper.tensor()
    mapper.entries.append(mapper.at)
    return Seed(name, data, tuple(mapper.places), tuple(mapper.entries))


def seeds(folder: Path) -> tuple[Seed, ...]:
    """Return good files of every kind; `folder` is for one that is written to disk."""
    tiny = forge_llama_model(folder / "seed.gguf", TinyModel(chat_template=CHATML)).read_bytes()
    head = tiny[: len(tiny) - 400_000]  # its header is whole, its weights are cut: smaller is quicker
    made = {"llama": head, "layers": _per_layer(), "vocabulary": _vocabulary(3000), "mixture": _mixture()}
    made |= {"projector": _projector(), "adapter": _adapter(), "imatrix": _imatrix(), "shard": _shard()}
    return tuple(seed_of(name, data) for name, data in made.items())


def _per_layer() -> bytes:
    metadata: dict[str, object] = {
        "general.architecture": "gemma3",
        "general.alignment": 64,
        "gemma3.attention.head_count_kv": Typed([4, 0, 4, 4], ARRAY, I32),
        "gemma3.attention.sliding_window_pattern": [True, True, False, True],
        "gemma3.rope.scaling": [0.5, 1.0, 2.0],
        "general.languages": ["en", "ar", "日本語"],
        "general.file_size": Typed(2**40, U64),
    }
    return forge(metadata) + bytes(64)


def _vocabulary(count: int) -> bytes:
    metadata: dict[str, object] = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": [f"tok{number}" for number in range(count)],
        "tokenizer.ggml.scores": [0.5] * count,
        "tokenizer.ggml.merges": ["ab c", *(f"t {number}" for number in range(count))],
        "tokenizer.ggml.bos_token_id": 1,
    }
    return forge(metadata, [Tensor("token_embd.weight", (32, 4))])


def _mixture() -> bytes:
    experts = Tensor("blk.0.ffn_up_exps.weight", (256, 2, 3), bytes(6 * 144), type_number=12)
    router = Tensor("blk.0.ffn_gate_inp.weight", (32, 3), bytes(3 * 34), type_number=8)
    norm = Tensor("blk.0.attn_norm.weight", (32,))
    return forge({"general.architecture": "qwen3moe", "qwen3moe.expert_count": 3}, [experts, router, norm])


def _projector() -> bytes:
    metadata: dict[str, object] = {
        "general.architecture": "clip",
        "general.type": "mmproj",
        "clip.has_vision_encoder": True,
        "clip.projector_type": "gemma3",
        "clip.vision.projection_dim": 640,
        "clip.vision.image_mean": [0.5, 0.5, 0.5],
    }
    return forge(metadata, [Tensor("mm.2.weight", (8, 16)), Tensor("v.patch_embd.weight", (2, 2, 3, 4))])


def _adapter() -> bytes:
    metadata: dict[str, object] = {
        "general.architecture": "llama",
        "general.type": "adapter",
        "adapter.type": "lora",
        "adapter.lora.alpha": 16.0,
        "general.base_model.count": 1,
        "general.base_model.0.name": "Tiny",
    }
    pair = [Tensor("blk.0.attn_q.weight.lora_a", (64, 8)), Tensor("blk.0.attn_q.weight.lora_b", (8, 64))]
    return forge(metadata, pair)


def _imatrix() -> bytes:
    metadata: dict[str, object] = {"general.type": "imatrix", "imatrix.chunk_count": 4, "imatrix.datasets": ["a.txt"]}
    return forge(metadata, [Tensor("x.in_sum2", (32, 1)), Tensor("x.counts", (1, 1))])


def _shard() -> bytes:
    metadata: dict[str, object] = {"split.no": 0, "split.count": 1, "split.tensors.count": 1}
    return forge({"general.architecture": "llama", **metadata}, [Tensor("a", (32,))])


Mutation = Callable[[Random, Seed, bytearray], None]


def mutate(random: Random, seed: Seed) -> bytes:
    """Return `seed` with one to four changes."""
    data = bytearray(seed.data)
    for _ in range(random.choice((1, 1, 1, 2, 2, 4))):
        random.choice(_MUTATIONS)(random, seed, data)
    return bytes(data)


def _lie(random: Random, seed: Seed, data: bytearray) -> None:
    """Put another number in the place of one; as often as not one that nearly fits."""
    place = random.choice(seed.places)
    old = int.from_bytes(data[place.offset : place.offset + place.size], "little")
    left = max(0, len(data) - place.offset - place.size)
    near = (0, 1, old - 1, old + 1, old * 2, old + 8, left, left - 1, left + 1, left // 8, 8, 9, 13, 32, 64)
    new = random.choice(near if random.random() < 0.5 else _HUGE)
    data[place.offset : place.offset + place.size] = (new % 2 ** (8 * place.size)).to_bytes(place.size, "little")


def _flip(random: Random, seed: Seed, data: bytearray) -> None:
    for _ in range(random.randint(1, 8)):
        if data:
            data[random.randrange(min(len(data), seed.n_header))] = random.randrange(256)


def _cut(random: Random, seed: Seed, data: bytearray) -> None:
    del data[random.choice((random.randint(0, len(data)), _boundary(random, seed.entries))) :]


def _remove(random: Random, seed: Seed, data: bytearray) -> None:
    start = _boundary(random, seed.entries)
    del data[start : random.choice((start + random.randint(1, 40), _boundary(random, seed.entries)))]


def _repeat(random: Random, seed: Seed, data: bytearray) -> None:
    first, last = sorted(random.choices(seed.entries, k=2))
    at = random.choice(seed.entries)
    data[at:at] = data[first:last]


def _insert(random: Random, seed: Seed, data: bytearray) -> None:
    at = random.randint(0, seed.n_header)
    data[at:at] = random.randbytes(random.randint(1, 40))


def _nest(random: Random, seed: Seed, data: bytearray) -> None:
    """Put an array of arrays, some levels deep, where an entry begins."""
    at = random.choice(seed.entries)
    levels = b"".join(struct.pack("<IQ", ARRAY, random.choice((1, 2, 2**33))) for _ in range(random.randint(1, 50)))
    data[at:at] = struct.pack("<Q", 1) + b"n" + struct.pack("<I", ARRAY) + levels


def _splice(random: Random, seed: Seed, data: bytearray) -> None:
    """Give one part of the header to another place: numbers become texts and texts numbers."""
    width = random.randint(1, 64)
    source, target = random.randint(0, seed.n_header), random.randint(0, seed.n_header)
    data[target : target + width] = data[source : source + width]


def _boundary(random: Random, entries: Sequence[int]) -> int:
    return max(0, random.choice(entries) + random.choice((0, 0, -1, 1, 8)))


_MUTATIONS: tuple[Mutation, ...] = (_lie, _lie, _lie, _lie, _flip, _cut, _remove, _repeat, _insert, _nest, _splice)
