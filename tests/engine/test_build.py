"""The build has a name that changes with the libraries, and is found without loading them."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from quern.engine import engine_build, engine_version, has_gpu_backend


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    engine_build.cache_clear()
    has_gpu_backend.cache_clear()
    yield
    engine_build.cache_clear()
    has_gpu_backend.cache_clear()


def test_the_name_begins_with_the_version() -> None:
    assert engine_version() == "0.3.36"
    assert engine_build().startswith("0.3.36+")


def test_a_replaced_library_changes_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libllama.so").write_bytes(b"one")
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(tmp_path))
    before = engine_build()
    engine_build.cache_clear()
    assert engine_build() == before
    (tmp_path / "libllama.so").write_bytes(b"two!")
    engine_build.cache_clear()
    assert engine_build() != before


def test_a_gpu_library_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(tmp_path))
    (tmp_path / "libggml-cpu.so").touch()
    assert not has_gpu_backend()
    has_gpu_backend.cache_clear()
    (tmp_path / "libggml-cuda.so").touch()
    assert has_gpu_backend()


def test_a_missing_folder_is_a_build_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(tmp_path / "gone"))
    assert engine_build().startswith("0.3.36+")


def test_asking_loads_nothing_native() -> None:
    code = "import sys, quern.engine as e; e.engine_build(); print('llama_cpp' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ended.stdout.strip() == "False"
