"""Content ids: equal for copies, different for anything else that matters."""

import shutil
from pathlib import Path
from time import perf_counter

import pytest
from tests.gguf.forge import TinyModel, forge_llama_model

from quern.gguf import BytesSource, FileUnreadable, content_id


def test_copies_have_one_id_whatever_their_name(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "a.gguf")
    copy = Path(shutil.copy(path, tmp_path / "b.gguf"))
    assert content_id(path) == content_id(copy) == content_id(BytesSource(path.read_bytes()))
    assert content_id(path) != content_id(forge_llama_model(tmp_path / "c.gguf", TinyModel(seed=2)))


def test_GG_10_a_zeroed_second_half_is_another_content(starter_model: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    shutil.copy(starter_model, damaged)
    half = starter_model.stat().st_size // 2
    with damaged.open("r+b") as file:
        file.truncate(half)
        file.truncate(2 * half)
    assert damaged.stat().st_size == starter_model.stat().st_size
    assert content_id(damaged) != content_id(starter_model)


@pytest.mark.parametrize("size", [0, 1, 100, 512 * 1024, 512 * 1024 + 1, 516 * 1024, 516 * 1024 + 1, 3 * 2**20])
def test_size_first_and_last_byte_always_count(size: int) -> None:
    data = bytes(size)
    ids = {content_id(BytesSource(data)), content_id(BytesSource(data + b"\0"))}
    if size:
        ids.add(content_id(BytesSource(b"\1" + data[1:])))
        ids.add(content_id(BytesSource(data[:-1] + b"\1")))
    assert len(ids) == (2 if size == 0 else 3 if size == 1 else 4)


def test_every_shard_counts(tmp_path: Path) -> None:
    first, second = tmp_path / "m-00001-of-00002.gguf", tmp_path / "m-00002-of-00002.gguf"
    first.write_bytes(b"a")
    second.write_bytes(b"b")
    before = content_id(first)
    second.write_bytes(b"c")
    assert content_id(first) != before


def test_a_missing_file_has_no_id(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable):
        content_id(tmp_path / "gone.gguf")


def test_an_id_costs_little(starter_model: Path) -> None:
    durations: list[float] = []
    for _ in range(5):
        start = perf_counter()
        content_id(starter_model)
        durations.append(perf_counter() - start)
    assert min(durations) < 0.02  # 2 ms on an idle core; the margin is for a busy one
