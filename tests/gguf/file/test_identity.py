"""Content ids: equal for copies, different for anything else that matters."""

import os
import shutil
from pathlib import Path

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


class CountingSource(BytesSource):
    """Bytes that count what is read of them."""

    read_bytes = 0
    reads = 0

    def read_at(self, offset: int, length: int) -> bytes:
        data = super().read_at(offset, length)
        self.read_bytes += len(data)
        self.reads += 1
        return data


def test_an_id_takes_few_and_small_reads_whatever_the_size() -> None:
    for size in (2**20, 2**26):
        source = CountingSource(bytes(size))
        content_id(source)
        assert source.reads <= 65
        assert source.read_bytes <= 512 * 1024 + 64 * 4096


def test_links_and_moves_and_time_change_nothing(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "a.gguf")
    name = content_id(path)
    (tmp_path / "hard.gguf").hardlink_to(path)
    (tmp_path / "soft.gguf").symlink_to(path)
    os.utime(path, ns=(1, 1))
    assert content_id(tmp_path / "hard.gguf") == content_id(tmp_path / "soft.gguf") == name
    moved = path.rename(tmp_path / "b.gguf")
    assert content_id(moved) == name


def test_copies_of_a_split_model_have_one_id_under_any_name_and_another_than_its_parts(tmp_path: Path) -> None:
    data = [b"first" * 1000, b"second" * 1000]
    for prefix in ("a", "b"):
        for number, part in enumerate(data, start=1):
            (tmp_path / f"{prefix}-{number:05d}-of-00002.gguf").write_bytes(part)
    first = tmp_path / "a-00001-of-00002.gguf"
    assert content_id(first) == content_id(tmp_path / "b-00001-of-00002.gguf")
    assert content_id(first) not in {content_id(BytesSource(part)) for part in (*data, b"".join(data))}


def test_an_id_never_changes_between_versions_of_quern() -> None:
    data = bytes(number % 251 for number in range(2**20))
    assert content_id(BytesSource(data)) == "959bea933c6ae98c3130529390736e13"
