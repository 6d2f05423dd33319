"""A model at work: KV cache, compute buffers, decode."""

from dataclasses import dataclass
from enum import Enum, auto
from types import TracebackType
from typing import Self

from .abort import AbortSwitch
from .batch import Batch
from .binding import keeping_gil, lib
from .errors import ContextRefused, DecodeFailed
from .log import capture_log
from .memory import Memory
from .model import Model

_get_logits_ith = keeping_gil(lib.llama_get_logits_ith)


class Decoded(Enum):
    """How a decode call ended."""

    DONE = auto()
    NO_ROOM = auto()
    ABORTED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextParams:
    """How to make a context. `flash_attention` None lets llama.cpp decide; types are GGML_TYPE_* numbers."""

    n_ctx_cells: int
    n_batch_tokens: int
    n_ubatch_tokens: int
    n_threads: int
    flash_attention: bool | None
    type_k: int
    type_v: int
    offloads: bool


class Context:
    """Owns a llama_context for one sequence and one output a batch. One thread at a time; closed before its model."""

    def __init__(self, model: Model, params: ContextParams) -> None:
        """Make the context. Raises ContextRefused with llama.cpp's reason."""
        self._n_vocab = model.vocab.n_tokens
        self._has_logits = False
        self.abort_switch = AbortSwitch()
        with capture_log() as log:
            handle = lib.llama_init_from_model(model.handle, _raw_params(params))
            if handle is None:
                raise ContextRefused(log.reason or "it gave no reason")
            self.buffer_bytes = log.buffer_bytes
        self._handle: lib.llama_context_p | None = handle
        lib.llama_set_abort_callback(handle, self.abort_switch.callback, self.abort_switch.address)
        self.n_ctx_cells = lib.llama_n_ctx(handle)
        self.n_batch_tokens = lib.llama_n_batch(handle)
        self.n_ubatch_tokens = lib.llama_n_ubatch(handle)
        memory = lib.llama_get_memory(handle)
        self.memory = None if memory is None else Memory(memory)

    @property
    def handle(self) -> lib.llama_context_p:
        """The open llama_context; ValueError once closed."""
        if self._handle is None:
            raise ValueError("the context is closed")
        return self._handle

    def decode(self, batch: Batch) -> Decoded:
        """Compute a filled batch, without the GIL.

        After ABORTED the ubatches that were done stay in memory: ask `memory.n_positions`. ValueError for a batch
        that would abort the process; DecodeFailed when llama.cpp gives up.
        """
        self._has_logits = False
        if self.memory is None or batch.raw.n_tokens > self.n_batch_tokens:
            raise ValueError(f"{batch.raw.n_tokens} tokens cannot be decoded at once here")
        code = lib.llama_decode(self.handle, batch.raw)
        match code:
            case 0:
                self._has_logits = True
                return Decoded.DONE
            case 1:
                return Decoded.NO_ROOM
            case 2:
                return Decoded.ABORTED
            case _:
                raise DecodeFailed(f"decoding failed with code {code}")

    def check_logits(self) -> None:
        """ValueError unless the last decode left logits: sampling without them would abort the process."""
        if not self._has_logits:
            raise ValueError("there are no logits to sample from")

    def logit(self, token: int) -> float:
        """The last output's logit of `token`."""
        self.check_logits()
        if not 0 <= token < self._n_vocab:
            raise ValueError(f"token {token} is not in the vocabulary")
        return _get_logits_ith(self.handle, -1)[token]

    def logits(self) -> list[float]:
        """The last output's logits, one a vocabulary entry."""
        self.check_logits()
        return _get_logits_ith(self.handle, -1)[: self._n_vocab]

    def close(self) -> None:
        """Free the context; idempotent."""
        handle, self._handle = self._handle, None
        if handle is not None:
            lib.llama_free(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


def _raw_params(params: ContextParams) -> lib.llama_context_params:
    flash_types = {
        None: lib.LLAMA_FLASH_ATTN_TYPE_AUTO,
        False: lib.LLAMA_FLASH_ATTN_TYPE_DISABLED,
        True: lib.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    }
    raw = lib.llama_context_default_params()
    raw.n_ctx = params.n_ctx_cells
    raw.n_batch = params.n_batch_tokens
    raw.n_ubatch = params.n_ubatch_tokens
    raw.n_seq_max = raw.n_outputs_max = raw.n_outputs_max_per_seq = 1
    raw.n_threads = raw.n_threads_batch = params.n_threads
    raw.flash_attn_type = flash_types[params.flash_attention]
    raw.type_k, raw.type_v = params.type_k, params.type_v
    raw.offload_kqv = raw.op_offload = params.offloads
    raw.swa_full = True  # a partial cache cannot be cut back for prefix reuse
    raw.no_perf = True
    return raw
