"""Asks llama.cpp how much memory a model would take, without its weights: llama.cpp's own no_alloc (common/fit.cpp)."""

import ctypes
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from types import TracebackType
from typing import Self

from .context import Context
from .context_params import ContextParams
from .errors import LoadRefused
from .ggml import library, work_bytes
from .memory_use import MemoryUse, read_memory_use
from .model import Model
from .model_params import ModelParams

_HEAD = Struct("<4sIQ")  # magic, version, number of tensors (GGUF specification)
_SPLITS = "GGML_SCHED_DEBUG"
_RESERVE = "_Z19llama_graph_reserveP13llama_contextjjj"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What a load would take. `work_bytes` is the CPU's work buffer, None where that cannot be asked for."""

    use: MemoryUse
    knows_weights: bool
    work_bytes: int | None
    n_ctx_cells: int
    n_ctx_seq_cells: int
    n_vocab: int


class DryRun:
    """Owns a model that only measures; a context manager. Recurrent state is really allocated while it is measured."""

    def __init__(self, path: Path, params: ModelParams) -> None:
        """Read the header at `path` (the first shard, where there are several).

        Raises LoadRefused. A header that lies can end the process: run this in a worker.
        """
        if not params.measures_only:
            raise ValueError("a dry run only measures")
        self._has_tensors = _n_tensors(path) > 0
        self._model = (
            Model.open(path, params, lambda _share: True) if self._has_tensors else Model.from_metadata(path, params)
        )

    @property
    def model(self) -> Model:
        """The measured model."""
        return self._model

    def measure(self, params: ContextParams) -> Measurement:
        """Return what the model takes with a context of `params`. Raises ContextRefused."""
        with _splits_logged(), Context(self._model, params) as context:
            use = read_memory_use(self._model, context)
            return Measurement(
                use=use,
                knows_weights=self._has_tensors and use.is_exact,
                work_bytes=_work_bytes(context, params) if len(use.devices) == 1 else None,
                n_ctx_cells=context.n_ctx_cells,
                n_ctx_seq_cells=context.n_ctx_seq_cells,
                n_vocab=self._model.vocab.n_tokens,
            )

    def close(self) -> None:
        """Free the model; idempotent."""
        self._model.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


@contextmanager
def _splits_logged() -> Generator[None]:
    """Have the schedulers that are made inside log how they split a graph (ggml-backend.cpp)."""
    before = os.environ.get(_SPLITS)
    os.environ[_SPLITS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SPLITS]
        else:
            os.environ[_SPLITS] = before


def _n_tensors(path: Path) -> int:
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD.size)
    except OSError as error:
        raise LoadRefused(f"its file cannot be read ({error.strerror})") from error
    return _HEAD.unpack(head)[2] if len(head) == _HEAD.size else 1


def _work_bytes(context: Context, params: ContextParams) -> int | None:
    """Plan the largest graph (llama-context.cpp, sched_reserve: a whole ubatch) as the CPU backend does."""
    prototype = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32)
    try:
        reserve = prototype((_RESERVE, library("llama")))
    except AttributeError:
        return None
    n_tokens = min(context.n_ctx_cells, context.n_ubatch_tokens)
    graph = reserve(context.handle, n_tokens, params.n_seq_max, min(n_tokens, params.n_seq_max))
    return None if graph is None else work_bytes(graph, params.n_threads)
