"""Names of split models."""

from pathlib import Path

import pytest

from quern.gguf import ShardName, find_shards


@pytest.mark.parametrize(
    "name", ["model.gguf", "m-00000-of-00002.gguf", "m-00003-of-00002.gguf", "m-1-of-2.gguf", "-00001-of-00002.gguf"]
)
def test_other_names_are_no_shards(name: str) -> None:
    assert ShardName.parse(name) is None
    assert find_shards(Path(name)) == (Path(name),)


def test_a_shard_knows_its_siblings() -> None:
    shard = ShardName.parse("m-00002-of-00002.gguf")
    assert shard == ShardName("m", 2, 2)
    assert shard is not None
    assert shard.siblings == ("m-00001-of-00002.gguf", "m-00002-of-00002.gguf")
