"""A tiny model, forged once, opened by llama.cpp in the test process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.gguf.forge import forge_llama_model

from quern.llama import Context, ContextParams, Model, ModelParams

SAFE = ModelParams(n_gpu_layers=0, allows_extra_buffers=False, uses_mmap=True)
SMALL = ContextParams(
    n_ctx_cells=256,
    n_batch_tokens=32,
    n_ubatch_tokens=32,
    n_threads=1,
    flash_attention=False,
    type_k=1,
    type_v=1,
    offloads=False,
)


@pytest.fixture(scope="session")
def tiny_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Path of a good tiny model."""
    return forge_llama_model(tmp_path_factory.mktemp("llama") / "tiny.gguf")


@pytest.fixture
def model(tiny_path: Path) -> Iterator[Model]:
    """The tiny model, open."""
    with Model.open(tiny_path, SAFE, lambda _share: True) as opened:
        yield opened


@pytest.fixture
def context(model: Model) -> Iterator[Context]:
    """A small context of the tiny model."""
    with Context(model, SMALL) as made:
        yield made
