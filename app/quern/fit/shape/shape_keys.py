"""Reads a model's numbers out of its header as llama.cpp does: what is missing, mistyped or absurd is said."""

from collections.abc import Mapping, Sequence

from quern.fit.errors import FitUnknown
from quern.gguf import MetadataValue, ModelHeader

MOST_LAYERS = 512  # llama-hparams.h, LLAMA_MAX_LAYERS
MOST_EXPERTS = 1024  # llama-hparams.h, LLAMA_MAX_EXPERTS
MOST = 2**24  # of anything else: heads, widths, vocabulary entries
UINT32_MAX = 2**32 - 1


class ShapeKeys:
    """The numbers of one model, by their key without the architecture's prefix, and its tensors' dimensions by name.

    Every reader of a number raises FitUnknown where the value has another type, is negative or larger than `most`, and
    where it is missing without a default.
    """

    def __init__(self, model: ModelHeader) -> None:
        header = model.first
        architecture = header.string("general.architecture")
        if not architecture:
            raise FitUnknown("its header does not name an architecture")
        self.architecture = architecture
        self._metadata: Mapping[str, MetadataValue] = header.metadata
        self.tensors = {tensor.name: tensor.dimensions for shard in model.shards for tensor in shard.tensors}
        self.n_listed_tokens = header.array_length("tokenizer.ggml.tokens") or 0

    def has(self, name: str) -> bool:
        """Whether the key is there, of whatever type."""
        return self._key(name) in self._metadata

    def is_array(self, name: str) -> bool:
        """Whether the key is there and holds an array."""
        return isinstance(self._metadata.get(self._key(name)), tuple)

    def count(self, name: str, default: int | None = None, most: int = MOST) -> int:
        """Return a whole number, 0 to `most` (llama-model-loader.cpp, get_key)."""
        value = self._metadata.get(self._key(name))
        if value is None:
            if default is None:
                raise self._missing(name)
            return default
        return self._checked(name, value, most)

    def positive(self, name: str, most: int = MOST) -> int:
        """Return a whole number, 1 to `most`, that must be there."""
        value = self.count(name, most=most)
        if value == 0:
            raise FitUnknown(f'its header says 0 for "{self._key(name)}"')
        return value

    def per_layer(self, name: str, n_layer: int, default: Sequence[int] | None = None) -> list[int]:
        """Return one number a layer: an array of exactly `n_layer`, or one number for all (get_key_or_arr)."""
        value = self._metadata.get(self._key(name))
        if value is None:
            if default is None:
                raise self._missing(name)
            return list(default)
        if not isinstance(value, tuple):
            return [self._checked(name, value, MOST)] * n_layer
        if len(value) != n_layer:
            raise FitUnknown(f'its header has {len(value):,} and not {n_layer:,} values for "{self._key(name)}"')
        return [self._checked(name, item, MOST, in_array=True) for item in value]

    def array(self, name: str, n_layer: int) -> list[int]:
        """Return the array at `name`, cut or filled with zeros to `n_layer` (get_arr into a std::array)."""
        value = self._metadata.get(self._key(name))
        if value is None:
            raise self._missing(name)
        if not isinstance(value, tuple) or len(value) > MOST_LAYERS:
            raise self._mistyped(name)
        items = [self._checked(name, item, MOST, in_array=True) for item in value[:n_layer]]
        return items + [0] * (n_layer - len(items))

    def length(self, name: str) -> int:
        """Return the length of the array at `name`, 0 where there is none."""
        value = self._metadata.get(self._key(name))
        if value is None:
            return 0
        if not isinstance(value, tuple):
            raise self._mistyped(name)
        return len(value)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a bool."""
        value = self._metadata.get(self._key(name), default)
        if not isinstance(value, bool):
            raise self._mistyped(name)
        return value

    def _checked(self, name: str, value: MetadataValue, most: int, *, in_array: bool = False) -> int:
        if isinstance(value, bool) and not in_array:
            raise self._mistyped(name)
        if not isinstance(value, int):
            raise self._mistyped(name)
        if not 0 <= value <= most:
            raise FitUnknown(f'its header says {value:,} for "{self._key(name)}"')
        return int(value)

    def _key(self, name: str) -> str:
        return f"{self.architecture}.{name}"

    def _missing(self, name: str) -> FitUnknown:
        return FitUnknown(f'its header lacks "{self._key(name)}"')

    def _mistyped(self, name: str) -> FitUnknown:
        return FitUnknown(f'its header has a value of the wrong type for "{self._key(name)}"')
