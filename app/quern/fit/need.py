"""What loading a model takes of each device, in bytes, part by part."""

from dataclasses import dataclass, fields
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Bytes by what they are for.

    `weights` are the model's tensors, `kv` the KV cache, `recurrent` the state of recurrent layers, `compute` the
    graph's scratch buffer, `output` logits and embeddings handed back, `projector`, `draft` and `adapters` everything
    that these companions take, `runtime` what no buffer of llama.cpp counts: vocabulary, work buffers, a GPU's context.
    """

    weights: int = 0
    kv: int = 0
    recurrent: int = 0
    compute: int = 0
    output: int = 0
    projector: int = 0
    draft: int = 0
    adapters: int = 0
    runtime: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return sum(getattr(self, field.name) for field in fields(self))

    def __add__(self, other: Self) -> "Needs":
        return Needs(**{field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)})


@dataclass(frozen=True, slots=True)
class DeviceNeed:
    """What one device must hold. `device` is the engine's name for it: "CPU" for the machine's memory, "CUDA0".

    `mapped` bytes of the weights are pages of the file: they must be there for speed, but the system may drop them and
    read them again, and other programs do not see them as taken.
    """

    device: str
    needs: Needs
    mapped: int = 0
