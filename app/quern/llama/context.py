"""A model at work: KV cache, compute buffers, decode."""

from enum import Enum, auto
from types import TracebackType
from typing import Self

from .abort import AbortSwitch
from .batch import Batch
from .binding import keeping_gil, lib
from .context_params import ContextParams, raw_context_params
from .errors import ContextRefused, DecodeFailed
from .log import capture_log
from .log_figures import LogFigures
from .memory import Memory
from .model import Model

_get_logits_ith = keeping_gil(lib.llama_get_logits_ith)


class Decoded(Enum):
    """How a decode call ended."""

    DONE = auto()
    NO_ROOM = auto()
    ABORTED = auto()


class Context:
    """Owns a llama_context with one output a batch for each sequence. One thread at a time; closed before its model."""

    def __init__(self, model: Model, params: ContextParams) -> None:
        """Make the context. Raises ContextRefused with llama.cpp's reason."""
        self._n_vocab = model.vocab.n_tokens
        self._has_logits = False
        self.abort_switch = AbortSwitch()
        with capture_log() as log:
            handle = lib.llama_init_from_model(model.handle, raw_context_params(params))
            if handle is None:
                raise ContextRefused(log.reason or "it gave no reason")
            self.log_figures = LogFigures.of(log.lines)
        self._handle: lib.llama_context_p | None = handle
        lib.llama_set_abort_callback(handle, self.abort_switch.callback, self.abort_switch.address)
        self.n_ctx_cells = lib.llama_n_ctx(handle)
        self.n_seq_max = params.n_seq_max
        self.n_ctx_seq_cells = lib.llama_n_ctx_seq(handle)
        self.n_batch_tokens = lib.llama_n_batch(handle)
        self.n_ubatch_tokens = lib.llama_n_ubatch(handle)
        memory = lib.llama_get_memory(handle)
        window = 0 if params.keeps_whole_window else lib.llama_model_n_swa(model.handle)
        self.memory = None if memory is None else Memory(memory, window)

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
