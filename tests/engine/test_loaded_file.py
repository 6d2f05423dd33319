"""A loaded model's file: written over is noticed before the next step, deleted or replaced does no harm."""

import os
from pathlib import Path

import pytest
from tests.gguf.forge import TinyModel, forge_llama_model

from quern.base import CancelToken
from quern.engine import CompletionRequest, ModelFileChanged, load_engine
from quern.engine.loaded_file import LoadedFiles
from quern.gguf import FileUnreadable
from quern.spec import ExtraBuffers, GenerationFailed, GenerationFinished, LoadSettings, SamplingParams

SAFE = LoadSettings(extra_buffers=ExtraBuffers.AVOIDED, n_threads=1)
REQUEST = CompletionRequest(tokens=(5, 6, 7), sampling=SamplingParams(max_tokens=3))


def n_descriptors() -> int:
    """Return how many files this process has open; 0 where the system does not tell."""
    place = Path("/proc/self/fd")
    return len(list(place.iterdir())) if place.exists() else 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"weights" * 1000)
    return path


def test_an_untouched_file_is_as_it_was(file: Path) -> None:
    with LoadedFiles([file]) as files:
        files.check()


@pytest.mark.parametrize("size", [10, 7000, 9000])
def test_a_file_that_is_written_over_is_named(file: Path, size: int) -> None:
    with LoadedFiles([file]) as files:
        file.write_bytes(b"x" * size)
        os.utime(file, ns=(1, 1))
        with pytest.raises(ModelFileChanged, match=r"model\.gguf was changed"):
            files.check()


def test_a_deleted_or_replaced_file_does_no_harm(file: Path, tmp_path: Path) -> None:
    with LoadedFiles([file]) as files:
        (tmp_path / "new").write_bytes(b"other")
        (tmp_path / "new").replace(file)
        files.check()
        file.unlink()
        files.check()


def test_a_missing_part_closes_what_was_opened(file: Path, tmp_path: Path) -> None:
    before = n_descriptors()
    with pytest.raises(FileUnreadable):
        LoadedFiles([file, tmp_path / "gone.gguf"])
    assert n_descriptors() == before


def test_a_model_that_is_shortened_between_replies_fails_with_a_sentence(tmp_path: Path) -> None:
    """GG-12, as far as it can be held in-process: the file shrinks while nothing runs."""
    path = forge_llama_model(tmp_path / "tiny.gguf", TinyModel())
    with load_engine(path, SAFE, lambda _: None, CancelToken()) as engine:
        assert isinstance(list(engine.submit(REQUEST))[-1], GenerationFinished)
        os.truncate(path, 4096)
        last = list(engine.submit(REQUEST))[-1]
    assert isinstance(last, GenerationFailed)
    assert isinstance(last.error, ModelFileChanged)


def test_a_model_that_is_deleted_goes_on(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "tiny.gguf", TinyModel())
    with load_engine(path, SAFE, lambda _: None, CancelToken()) as engine:
        path.unlink()
        assert isinstance(list(engine.submit(REQUEST))[-1], GenerationFinished)
