"""A model file opened by llama.cpp: its weights and its vocabulary."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from quern.base import Cancelled

from .backend import Backend
from .binding import lib
from .errors import LoadRefused
from .ggml import gguf_free, gguf_from_file
from .log import capture_log
from .log_figures import LogFigures
from .model_params import ModelParams, RawModelParams
from .vocab import Vocab

# Asked for the data of each tensor, which a model that is only measured does not have.
_no_data = lib.llama_model_set_tensor_data_t(lambda _tensor, _data: None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """What decides the size of a context: layers, attention heads, KV heads, embedding width, trained context."""

    n_layer: int
    n_head: int
    n_head_kv: int
    n_embd: int
    n_ctx_train: int


class Model:
    """Owns a llama_model; freed once, after every context made from it. Read-only and shareable between threads."""

    def __init__(self, handle: lib.llama_model_p, params: ModelParams, figures: LogFigures) -> None:
        self._handle: lib.llama_model_p | None = handle
        self.is_measured = params.measures_only
        self.log_figures = figures
        self.size_bytes = lib.llama_model_size(handle)
        self.vocab = Vocab(lib.llama_model_get_vocab(handle))

    @classmethod
    def open(cls, path: Path, params: ModelParams, on_progress: Callable[[float], bool]) -> Self:
        """Open the file (the first one, if it is in shards).

        `on_progress(share)` is called in this thread with 0..1 and answers whether to go on. Raises LoadRefused with
        llama.cpp's reason, Cancelled when `on_progress` said no, and what `on_progress` itself raised.
        """
        Backend.start()
        stopped_by: BaseException | None = None

        def report(share: float, _data: int | None) -> bool:
            nonlocal stopped_by
            try:
                stopped_by = None if on_progress(share) else Cancelled()
            except BaseException as error:  # nothing may be raised through C
                stopped_by = error
            return stopped_by is None

        given = RawModelParams(params)
        given.raw.progress_callback = lib.llama_progress_callback(report)
        with capture_log() as log:
            handle = lib.llama_model_load_from_file(os.fsencode(path), given.raw)
            if stopped_by is not None:
                if handle is not None:
                    lib.llama_model_free(handle)
                raise stopped_by
            if handle is None:
                raise LoadRefused(log.reason or "it gave no reason")
            return cls(handle, params, LogFigures.of(log.lines))

    @classmethod
    def from_metadata(cls, path: Path, params: ModelParams) -> Self:
        """Make a model of a file that holds metadata but no tensors: as if all that it may have were there, in F32.

        Only for measuring: KV cache, recurrent state and compute are right, weights are not. Raises LoadRefused.
        """
        Backend.start()
        if not params.measures_only:
            raise ValueError("a model without tensors can only be measured")
        metadata = gguf_from_file(os.fsencode(path))
        if metadata is None:
            raise LoadRefused("its header cannot be read")
        given = RawModelParams(params)
        with capture_log() as log:
            try:
                handle = lib.llama_model_init_from_user(metadata, _no_data, None, given.raw)
            finally:
                gguf_free(metadata)
            if handle is None:
                raise LoadRefused(log.reason or "it gave no reason")
            return cls(handle, params, LogFigures.of(log.lines))

    @property
    def handle(self) -> lib.llama_model_p:
        """The open llama_model; ValueError once closed."""
        if self._handle is None:
            raise ValueError("the model is closed")
        return self._handle

    @property
    def shape(self) -> ModelShape:
        """The sizes that decide how large a context is."""
        return ModelShape(
            n_layer=lib.llama_model_n_layer(self.handle),
            n_head=lib.llama_model_n_head(self.handle),
            n_head_kv=lib.llama_model_n_head_kv(self.handle),
            n_embd=lib.llama_model_n_embd(self.handle),
            n_ctx_train=lib.llama_model_n_ctx_train(self.handle),
        )

    @property
    def why_it_cannot_chat(self) -> str | None:
        """Why the model cannot continue a text token by token; None where it can."""
        if not lib.llama_model_has_decoder(self.handle):
            return "it only turns text into vectors"
        if lib.llama_model_has_encoder(self.handle):
            return "it translates from an encoder, which Quern does not run"
        if lib.llama_model_is_diffusion(self.handle):
            return "it writes by diffusion, which Quern does not run"
        return None

    def close(self) -> None:
        """Free the weights; idempotent. Every context must be closed before."""
        handle, self._handle = self._handle, None
        if handle is not None:
            lib.llama_model_free(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()
