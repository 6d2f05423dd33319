"""Looking at models on disk: the facts of good ones, the reason for each bad one, and never anything else."""

from pathlib import Path

import pytest
from tests.gguf.forge import CHATML, Tensor, TinyModel, forge, forge_llama_model

from quern.gguf import (
    BadModelFile,
    FileKind,
    FileSource,
    FileUnreadable,
    GgufDamaged,
    GgufTruncated,
    NotAModel,
    NotFirstShard,
    NotGguf,
    ShardMissing,
    inspect_model,
)
from quern.gguf.file import source as source_module


def refuse(path: Path) -> BadModelFile:
    with pytest.raises(BadModelFile) as caught:
        inspect_model(path)
    assert path.name in caught.value.what
    return caught.value


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def write_shards(folder: Path, count: int = 3) -> list[Path]:
    """Write a split model of `count` parts of 32 weights; the first has the metadata and no weights."""
    paths: list[Path] = []
    for number in range(count):
        metadata: dict[str, object] = {"split.no": number, "split.count": count}
        if number == 0:
            metadata["general.architecture"] = "llama"
        tensors = [Tensor(f"blk.{number}.weight", (32,))] if number else []
        paths.append(write(folder / f"big-{number + 1:05d}-of-{count:05d}.gguf", forge(metadata, tensors)))
    return paths


def test_the_starter_models_facts(starter_model: Path) -> None:
    facts = inspect_model(starter_model)
    assert facts.architecture == "llama"
    assert facts.quantization == "Q4_1"
    assert facts.parameter_count == 134_515_008
    assert facts.size_bytes == 98_362_432
    assert (facts.n_ctx_train, facts.n_vocab, facts.n_layer, facts.n_embd) == (8192, 49152, 30, 576)
    assert (facts.bos_token_id, facts.eos_token_id) == (1, 2)
    assert facts.licence == "apache-2.0"
    assert "<|im_start|>" in facts.chat_templates["default"]


def test_a_nameless_model_is_called_like_its_file(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "my model.gguf", TinyModel(metadata={"general.name": None}))
    assert inspect_model(path).name == "my model"


def test_GG_02_a_cut_file_is_incomplete_with_both_sizes(tmp_path: Path) -> None:
    whole = forge_llama_model(tmp_path / "whole.gguf").read_bytes()
    for cut in (len(whole) // 2, len(whole) - 1):
        error = refuse(write(tmp_path / "cut.gguf", whole[:cut]))
        assert isinstance(error, GgufTruncated)
        assert (error.expected_bytes, error.actual_bytes) == (len(whole), cut)
        assert f"{len(whole):,}" in error.what
        assert f"{cut:,}" in error.what


def test_GG_03_folders_and_missing_files_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "x.gguf"
    folder.mkdir()
    assert isinstance(error := refuse(folder), NotGguf)
    assert error.found == "a folder"
    assert "there is no such file" in refuse(tmp_path / "gone.gguf").what
    assert "there is no such file" in refuse(tmp_path / "x.gguf" / "no" / "such.gguf").what
    assert isinstance(refuse(tmp_path / "nul\0.gguf"), FileUnreadable)
    assert "too long" in refuse(tmp_path / ("x" * 300 + ".gguf")).what


def test_no_permission_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    path = forge_llama_model(tmp_path / "locked.gguf")
    monkeypatch.setattr(source_module, "open_for_reading", deny)
    assert "you have no permission to open it" in refuse(path).what


def test_a_file_replaced_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = forge_llama_model(tmp_path / "model.gguf")
    read_at = FileSource.read_at

    def replace_first(source: FileSource, offset: int, length: int) -> bytes:
        forge_llama_model(tmp_path / "new.gguf", TinyModel(seed=2)).replace(path)
        return read_at(source, offset, length)

    monkeypatch.setattr(FileSource, "read_at", replace_first)
    assert "it changed while it was being read" in refuse(path).what


def test_a_file_deleted_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = forge_llama_model(tmp_path / "model.gguf")
    read_at = FileSource.read_at

    def delete_first(source: FileSource, offset: int, length: int) -> bytes:
        data = read_at(source, offset, length)
        path.unlink(missing_ok=True)
        return data

    monkeypatch.setattr(FileSource, "read_at", delete_first)
    assert "there is no such file" in refuse(path).what


@pytest.mark.parametrize(
    ("metadata", "tensors", "kind"),
    [
        ({"general.architecture": "clip"}, [Tensor("v.weight", (32,))], FileKind.PROJECTOR),
        ({"general.architecture": "llama", "general.type": "mmproj"}, [Tensor("v", (32,))], FileKind.PROJECTOR),
        ({"general.architecture": "llama", "general.type": "adapter"}, [Tensor("a", (32,))], FileKind.ADAPTER),
        ({"general.architecture": "llama", "adapter.type": "lora"}, [Tensor("a", (32,))], FileKind.ADAPTER),
        ({"general.type": "imatrix"}, [Tensor("x.in_sum2", (32,))], FileKind.IMATRIX),
        ({"general.architecture": "llama", "tokenizer.ggml.model": "gpt2"}, [], FileKind.VOCABULARY),
    ],
)
def test_good_files_that_are_no_models_are_told_apart(
    tmp_path: Path, metadata: dict[str, object], tensors: list[Tensor], kind: FileKind
) -> None:
    error = refuse(write(tmp_path / "other.gguf", forge(metadata, tensors)))
    assert isinstance(error, NotAModel)
    assert error.kind is kind
    assert "not a model by itself but a" in error.what


def test_a_file_without_weights_or_architecture_is_damaged(tmp_path: Path) -> None:
    assert "no weights" in refuse(write(tmp_path / "a.gguf", forge({"general.architecture": "llama"}))).what
    nameless = refuse(write(tmp_path / "b.gguf", forge({}, [Tensor("a", (32,))])))
    assert isinstance(nameless, GgufDamaged)
    assert "does not name its architecture" in nameless.what


def test_a_split_model_is_one_model(tmp_path: Path) -> None:
    paths = write_shards(tmp_path)
    facts = inspect_model(paths[0])
    assert facts.parameter_count == 64
    assert facts.size_bytes == sum(path.stat().st_size for path in paths)
    assert facts.name == "big"


def test_a_later_shard_names_the_first(tmp_path: Path) -> None:
    error = refuse(write_shards(tmp_path)[1])
    assert isinstance(error, NotFirstShard)
    assert 'Open "big-00001-of-00003.gguf" instead.' in error.next_step


def test_missing_shards_are_named(tmp_path: Path) -> None:
    first, second, third = write_shards(tmp_path)
    second.unlink()
    assert isinstance(error := refuse(first), ShardMissing)
    assert '"big-00002-of-00003.gguf" is missing' in error.what
    first.unlink()
    error = refuse(third)
    assert isinstance(error, ShardMissing)
    assert error.missing == ("big-00001-of-00003.gguf", "big-00002-of-00003.gguf")
    assert '"big-00001-of-00003.gguf" and 1 more are missing' in error.what


def test_a_cut_or_renamed_shard_is_refused_by_its_own_name(tmp_path: Path) -> None:
    first, second, _ = write_shards(tmp_path)
    renamed = write(tmp_path / "renamed.gguf", second.read_bytes())
    assert "part 2 of 3" in refuse(renamed).what
    alone = write(tmp_path / "alone.gguf", first.read_bytes())
    assert "part 1 of 3" in refuse(alone).what
    second.write_bytes(second.read_bytes()[:-1])
    with pytest.raises(GgufTruncated) as caught:
        inspect_model(first)
    assert caught.value.path == second


def test_GG_14_a_garbled_description_leaves_the_template(tmp_path: Path) -> None:
    model = TinyModel(chat_template=CHATML, metadata={"general.description": b"\xff\xfe\xfd\xfc"})
    facts = inspect_model(forge_llama_model(tmp_path / "m.gguf", model))
    assert facts.chat_templates == {"default": CHATML}
    assert facts.garbled_keys == ("general.description",)
