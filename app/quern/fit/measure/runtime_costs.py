"""What a load takes besides llama.cpp's buffers, in bytes: measured once a build of the engine, else known ones."""

from dataclasses import dataclass, fields
from typing import Self

from quern.base import Json, JsonObject

MIB = 1024 * 1024

# Names of tokenizers (tokenizer.ggml.model; llama-vocab.cpp) that keep a table of merges, and of those with no table.
_WITH_MERGES = frozenset({"gpt2"})
_WITHOUT_TOKENS = frozenset({"no_vocab", "none", ""})

# A GPU's context, its kernels and what its libraries keep for themselves. Not measured: what the vendors and
# llama.cpp's users report; a server reached over the network keeps its own books.
_GPU_CONTEXT_MIB = {"CUDA": 400, "ROCm": 400, "MUSA": 400, "SYCL": 300, "Vulkan": 150, "MTL": 64, "RPC": 0}
_OTHER_GPU_CONTEXT_MIB = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeCosts:
    """Bytes of the machine's memory that no buffer counts.

    `base_bytes` are the library, its threads, scheduler and graphs; `merged_entry_bytes` and `plain_entry_bytes` one
    entry of a vocabulary whose tokenizer has a table of merges (BPE), and of any other. The defaults were measured on
    Linux (x86-64, llama-cpp-python 0.3.36) with the vocabularies of SmolLM2 and Gemma 3; tests/bench/fit_resident.py
    repeats that.
    """

    base_bytes: int = round(13.5 * MIB)
    merged_entry_bytes: int = 325
    plain_entry_bytes: int = 160

    def host_bytes(self, *, n_vocab: int, tokenizer: str | None, work_bytes: int) -> int:
        """Return what a model takes of the machine's memory; `work_bytes` is the CPU's work buffer (`work_buffer`)."""
        name = tokenizer or ""
        entry = self.merged_entry_bytes if name in _WITH_MERGES else self.plain_entry_bytes
        return self.base_bytes + work_bytes + (0 if name in _WITHOUT_TOKENS else n_vocab * entry)

    def gpu_bytes(self, backend: str) -> int:
        """Return what a GPU of this backend holds besides the buffers."""
        return _GPU_CONTEXT_MIB.get(backend, _OTHER_GPU_CONTEXT_MIB) * MIB

    def to_json(self) -> JsonObject:
        """Return what `from_json` reads."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_json(cls, document: Json) -> Self:
        """Return the costs in `document`. Raises ValueError for anything else."""
        match document:
            case {"base_bytes": int(base), "merged_entry_bytes": int(merged), "plain_entry_bytes": int(plain)} if (
                min(base, merged, plain) > 0
            ):
                return cls(base_bytes=base, merged_entry_bytes=merged, plain_entry_bytes=plain)
            case _:
                raise ValueError("these are no costs of a runtime")
