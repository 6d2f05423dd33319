"""Options reach llama.cpp as it wants them, and what would end the process does not."""

import ctypes
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.gguf.forge import forge_llama_model

from quern.llama import LoadRefused, Model, ModelParams, UnreadVocabulary
from quern.llama.binding import lib
from quern.llama.ggml import TensorBufferOverride, cpu_buffer_type
from quern.llama.model_params import RawModelParams

CPU_ONLY = ModelParams(n_gpu_layers=0, allows_extra_buffers=False, uses_mmap=False)


def params(**changes: Any) -> ModelParams:
    return replace(CPU_ONLY, **changes)


@pytest.mark.parametrize(
    ("maps", "locks", "mode"),
    [
        (False, False, lib.LLAMA_LOAD_MODE_NONE),
        (True, False, lib.LLAMA_LOAD_MODE_MMAP),
        (False, True, lib.LLAMA_LOAD_MODE_MLOCK),
        (True, True, lib.LLAMA_LOAD_MODE_MMAP_MLOCK),
    ],
)
def test_mapping_and_locking_are_one_mode(*, maps: bool, locks: bool, mode: int) -> None:
    assert RawModelParams(params(uses_mmap=maps, locks_memory=locks)).raw.load_mode == mode
    measured = RawModelParams(params(uses_mmap=maps, locks_memory=locks, measures_only=True))
    assert measured.raw.load_mode == lib.LLAMA_LOAD_MODE_NONE
    assert measured.raw.no_alloc


def test_no_layers_on_gpus_keep_every_device_out() -> None:
    none = RawModelParams(params(n_gpu_layers=0))
    assert none.raw.devices is not None
    assert ctypes.c_void_p.from_address(none.raw.devices).value is None
    assert RawModelParams(params(n_gpu_layers=None)).raw.devices is None


def test_shares_fill_the_array_that_llama_cpp_reads() -> None:
    raw = RawModelParams(params(tensor_split=(3.0, 1.0))).raw
    assert raw.tensor_split[: lib.llama_max_devices()] == [3.0, 1.0, *[0.0] * (lib.llama_max_devices() - 2)]
    assert not RawModelParams(params(tensor_split=(0.0, 0.0))).raw.tensor_split
    with pytest.raises(LoadRefused):
        RawModelParams(params(tensor_split=(1.0,) * 100))


def override(n_layers: int) -> TensorBufferOverride:
    given = RawModelParams(params(n_cpu_moe_layers=n_layers))
    assert given.raw.tensor_buft_overrides is not None
    first, last = (TensorBufferOverride * 2).from_address(given.raw.tensor_buft_overrides)
    assert last.pattern is None
    return TensorBufferOverride(first.pattern, first.buffer_type)


def test_experts_of_the_first_layers_go_to_the_machines_memory() -> None:
    found = override(2)
    assert found.buffer_type == cpu_buffer_type()
    pattern = re.compile(found.pattern.decode())
    for name in ("blk.0.ffn_up_exps.weight", "blk.1.ffn_down_exps.weight", "blk.1.ffn_gate_up_exps.weight"):
        assert pattern.search(name)
    for name in ("blk.2.ffn_up_exps.weight", "blk.10.ffn_up_exps.weight", "blk.0.ffn_up.weight", "blk.0.attn_q.weight"):
        assert not pattern.search(name)


def test_a_vocabulary_is_left_unread() -> None:
    raw = RawModelParams(params(unread_vocabulary=UnreadVocabulary("qwen3", 151_936))).raw
    tokenizer, size, end = raw.kv_overrides[0], raw.kv_overrides[1], raw.kv_overrides[2]
    assert (tokenizer.key, tokenizer.value.val_str) == (b"tokenizer.ggml.model", b"no_vocab")
    assert (size.key, size.value.val_i64) == (b"qwen3.vocab_size", 151_936)
    assert end.key == b""
    assert not RawModelParams(params()).raw.kv_overrides
    long = RawModelParams(params(unread_vocabulary=UnreadVocabulary("x" * 500, 1))).raw
    assert long.kv_overrides[1].key == b"x" * 127


def test_no_experts_no_override() -> None:
    assert RawModelParams(params(n_cpu_moe_layers=0)).raw.tensor_buft_overrides is None


@pytest.mark.parametrize(
    "changes",
    [
        {"locks_memory": True},
        {"uses_mmap": True, "locks_memory": True},
        {"n_cpu_moe_layers": 1_000},
        {"tensor_split": (1.0, 2.0)},
        {"n_gpu_layers": None, "tensor_split": (1.0,) * 16},
    ],
)
def test_every_option_loads(tmp_path: Path, changes: dict[str, Any]) -> None:
    path = forge_llama_model(tmp_path / "tiny.gguf")
    with Model.open(path, params(**changes), lambda _share: True) as model:
        assert model.size_bytes > 0
