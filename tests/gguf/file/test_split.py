"""Parts of a model that do not belong together are refused by name, from files and from any other source."""

from pathlib import Path

import pytest
from tests.gguf.forge import Tensor, forge

from quern.gguf import (
    BytesSource,
    ShardsDisagree,
    inspect_model,
    read_model_header,
    read_model_header_from,
)


def part(number: int, count: int = 3, *, tensor: str = "", **metadata: object) -> bytes:
    """Return part `number` (from 1); the metadata's names are written with _ for the dots."""
    said: dict[str, object] = {"split.no": number - 1, "split.count": count, "split.tensors.count": count}
    if number == 1:
        said["general.architecture"] = "llama"
    said |= {name.replace("_", "."): value for name, value in metadata.items()}
    kept = {name: value for name, value in said.items() if value is not None}
    return forge(kept, [Tensor(tensor or f"blk.{number}.weight", (32,))])


def good_parts() -> list[bytes]:
    return [part(1), part(2), part(3)]


def write(folder: Path, parts: list[bytes]) -> Path:
    for number, data in enumerate(parts, start=1):
        (folder / f"m-{number:05d}-of-{len(parts):05d}.gguf").write_bytes(data)
    return folder / f"m-00001-of-{len(parts):05d}.gguf"


def test_parts_that_agree_are_one_model(tmp_path: Path) -> None:
    path = write(tmp_path, good_parts())
    header = read_model_header(path)
    assert [tensor.name for tensor in header.tensors] == ["blk.1.weight", "blk.2.weight", "blk.3.weight"]
    assert header.first.string("general.architecture") == "llama"
    assert header.size_bytes == sum(map(len, good_parts()))
    assert header == read_model_header_from(*(BytesSource(data) for data in good_parts()))


@pytest.mark.parametrize(
    ("number", "wrong", "reason"),
    [
        (2, part(3), "it says that it is part 3 of 3, and it was opened as part 2 of 3"),
        (3, part(3, 4), "it says that it is part 3 of 4, and it was opened as part 3 of 3"),
        (1, part(1, 2), "it says that it is part 1 of 2, and it was opened as part 1 of 3"),
        (2, part(2, split_no=None), "it says that it is part 1 of 3"),
        (2, part(2, general_architecture="qwen3"), "a part of a qwen3 model, and the first part a llama model"),
        (3, part(3, tensor="blk.1.weight"), 'the tensor "blk.1.weight", which an earlier part holds too'),
        (1, part(1, split_tensors_count=4), "it says that the model has 4 tensors, and there are 3"),
        (3, part(3, split_tensors_count=2), "it says that the model has 2 tensors, and there are 3"),
    ],
)
def test_a_part_that_contradicts_the_others_is_named(tmp_path: Path, number: int, wrong: bytes, reason: str) -> None:
    parts = good_parts()
    parts[number - 1] = wrong
    path = write(tmp_path, parts)
    for read in (read_model_header, inspect_model):
        with pytest.raises(ShardsDisagree) as caught:
            read(path)
        assert caught.value.path.name == f"m-{number:05d}-of-00003.gguf"
        assert reason in caught.value.what
    with pytest.raises(ShardsDisagree, match="does not belong to the other parts"):
        read_model_header_from(*(BytesSource(data) for data in parts))


def test_one_part_alone_is_no_model(tmp_path: Path) -> None:
    alone = tmp_path / "alone.gguf"
    alone.write_bytes(part(1))
    with pytest.raises(ShardsDisagree, match="it says that it is part 1 of 3, and it was opened by itself"):
        read_model_header(alone)
    with pytest.raises(ShardsDisagree, match="opened as part 1 of 2"):
        read_model_header_from(BytesSource(part(1)), BytesSource(part(2)))


def test_parts_need_not_say_more_than_their_number() -> None:
    later = [part(number, split_count=None, split_tensors_count=None) for number in (2, 3)]
    header = read_model_header_from(*(BytesSource(data) for data in (part(1, split_tensors_count=None), *later)))
    assert len(header.tensors) == 3
