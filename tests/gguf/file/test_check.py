"""A file that is long enough but was never written to its end is found out."""

from pathlib import Path

import pytest
from tests.gguf.forge import TinyModel, forge_llama_model

from quern.gguf import GgufDamaged, inspect_model


def test_a_file_whose_second_half_is_zeros_is_damaged(tmp_path: Path) -> None:
    """GG-10: same size, a good header, and no weights."""
    path = forge_llama_model(tmp_path / "tiny.gguf", TinyModel())
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + bytes(len(data) - len(data) // 2))
    with pytest.raises(GgufDamaged, match="all zeros, as in a download that did not finish"):
        inspect_model(path)


def test_the_starter_whose_second_half_is_zeros_is_damaged(tmp_path: Path, starter_model: Path) -> None:
    """GG-10, on real weights."""
    path = tmp_path / "starter.gguf"
    size = starter_model.stat().st_size
    with starter_model.open("rb") as whole, path.open("wb") as half:
        half.write(whole.read(size // 2))
        half.truncate(size)
    with pytest.raises(GgufDamaged):
        inspect_model(path)


def test_whole_models_pass(tmp_path: Path, starter_model: Path) -> None:
    assert inspect_model(starter_model).n_layer == 30
    assert inspect_model(forge_llama_model(tmp_path / "tiny.gguf", TinyModel())).n_layer == 2
