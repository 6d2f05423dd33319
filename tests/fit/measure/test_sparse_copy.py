"""Headers become files that look whole and are not there afterwards."""

from pathlib import Path

import pytest
from tests.gguf.forge import Tensor, forge, forge_llama_model

from quern.fit import FitUnknown, SparseCopy
from quern.gguf import BytesSource, FileSource, GgufDamaged, read_header

N_TENSOR_BYTES = 1 << 20


def remote(name: str, *, n_vocab: int = 10) -> BytesSource:
    metadata = {"general.architecture": "llama", "tokenizer.ggml.tokens": [f"token {n}" for n in range(n_vocab)]}
    return BytesSource(forge(metadata, [Tensor("a", (N_TENSOR_BYTES // 4,))]), Path(name))


def test_a_copy_is_the_header_and_a_hole_of_the_right_length(tmp_path: Path) -> None:
    source = remote("model.gguf")
    with SparseCopy(source, folder=tmp_path) as copy:
        n_header_bytes = read_header(source).data_offset
        data = copy.path.read_bytes()
        assert (copy.path.name, len(data)) == ("model.gguf", source.size_bytes)
        assert data[:n_header_bytes] == source.read_at(0, n_header_bytes)
        assert not any(data[n_header_bytes:])
        assert copy.path.stat().st_blocks * 512 < N_TENSOR_BYTES // 2


def test_a_header_longer_than_one_piece_is_whole(tmp_path: Path) -> None:
    source = remote("model.gguf", n_vocab=100_000)
    with SparseCopy(source, folder=tmp_path) as copy, FileSource(copy.path) as file:
        assert read_header(file).data_offset > 1 << 20
        assert read_header(file).array_length("tokenizer.ggml.tokens") == 100_000


def test_shards_lie_together_under_their_names(tmp_path: Path) -> None:
    names = [f"m-0000{n}-of-00002.gguf" for n in (1, 2)]
    with SparseCopy(*map(remote, names), folder=tmp_path) as copy:
        assert copy.path.name == names[0]
        assert sorted(path.name for path in copy.path.parent.iterdir()) == names


def test_nothing_stays(tmp_path: Path) -> None:
    copy = SparseCopy(remote("model.gguf"), folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    copy.close()
    copy.close()
    assert list(tmp_path.iterdir()) == []


def test_nothing_stays_of_what_could_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(GgufDamaged):
        SparseCopy(
            remote("model.gguf"),
            BytesSource(forge({"general.alignment": 3}), Path("bad.gguf")),
            folder=tmp_path,
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["..", "x" * 300])
def test_a_name_that_is_none_is_a_sentence(tmp_path: Path, name: str) -> None:
    whole = forge_llama_model(tmp_path / "whole.gguf").read_bytes()
    with pytest.raises(FitUnknown) as unknown:
        SparseCopy(BytesSource(whole, Path(name)), folder=tmp_path)
    assert "could not be kept" in unknown.value.what
