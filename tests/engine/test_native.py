"""The real machine refuses models that cannot chat, finds broken numbers, and names its devices."""

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.gguf.forge import N_LAYERS, TOKENS, Tensor, TinyModel, forge, forge_llama_model
from tests.llama.tiny_gemma import forge_gemma

from quern.engine import (
    CannotChat,
    CompletionRequest,
    ContextNotCreatable,
    Engine,
    NotNumbers,
    UnknownArchitecture,
    VocabularyUnusable,
    load_engine,
)
from quern.engine.native import NativeMachine
from quern.fit import HOST, Needs
from quern.gguf import BadModelFile
from quern.llama import Backend, Device, DeviceKind
from quern.llama.binding import lib
from quern.spec import (
    ExtraBuffers,
    GenerationFailed,
    LoadSettings,
    PromptProcessed,
    SamplingParams,
    TextProduced,
)

LAYER_TENSORS = ["attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down"]
SAFE = LoadSettings(extra_buffers=ExtraBuffers.AVOIDED)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return forge_llama_model(tmp_path / "tiny.gguf")


def always(answer: object) -> Callable[[object], object]:
    """A stand-in for a function of one argument."""

    def call(_argument: object) -> object:
        return answer

    return call


def open_machine(path: Path, settings: LoadSettings = SAFE) -> NativeMachine:
    return NativeMachine(path, settings, lambda _share: True)


@pytest.mark.parametrize(
    ("function", "answer", "said"),
    [
        ("llama_model_has_decoder", False, "vectors"),
        ("llama_model_has_encoder", True, "encoder"),
        ("llama_model_is_diffusion", True, "diffusion"),
        ("llama_get_memory", None, "cannot continue"),
    ],
)
def test_a_model_that_cannot_chat_is_refused_before_it_is_decoded(
    path: Path, monkeypatch: pytest.MonkeyPatch, function: str, answer: object, said: str
) -> None:
    monkeypatch.setattr(lib, function, always(answer))
    with pytest.raises(CannotChat) as refused:
        open_machine(path)
    assert said in refused.value.what


def test_a_model_without_a_tokenizer_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lib, "llama_vocab_type", always(lib.LLAMA_VOCAB_TYPE_NONE))
    with pytest.raises(VocabularyUnusable):
        open_machine(path)


def test_a_file_with_a_vocabulary_only_is_refused(tmp_path: Path) -> None:
    layers = {f"blk.{layer}.{name}.weight" for layer in range(N_LAYERS) for name in LAYER_TENSORS}
    every = frozenset({"token_embd.weight", "output_norm.weight", "output.weight", *layers})
    path = forge_llama_model(tmp_path / "vocab.gguf", TinyModel(dropped_tensors=every))
    with pytest.raises(BadModelFile):
        load_engine(path, SAFE, lambda _share: None)


def test_a_projector_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mmproj.gguf"
    path.write_bytes(forge({"general.architecture": "clip"}, [Tensor("v.patch_embd.weight", (32, 32))]))
    with pytest.raises((BadModelFile, UnknownArchitecture)):
        load_engine(path, SAFE, lambda _share: None)


def test_broken_numbers_end_a_reply_and_not_the_engine(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4] + struct.pack("<f", float("nan")))
    with load_engine(path, SAFE, lambda _share: None) as engine:
        for _ in range(2):
            *_, last = engine.submit(CompletionRequest(tokens=(1, 280), sampling=SamplingParams(max_tokens=4)))
            assert isinstance(last, GenerationFailed)
            assert isinstance(last.error, NotNumbers)


def test_penalties_hear_of_the_prompt(path: Path) -> None:
    sampling = SamplingParams(temperature=0, presence_penalty=50, repeat_last_n_tokens=2, seed=0)
    machine = open_machine(path)
    try:
        machine.decode([270, 271, 272], 0)
        machine.begin_sampling(SamplingParams(temperature=0), [270])
        first = machine.sample()
        for prompt, is_free in (([first, 5, 6], True), ([5, first], False)):
            machine.begin_sampling(sampling, prompt)
            assert (machine.sample() == first) is is_free
    finally:
        machine.close()


def test_sampling_before_it_is_begun_is_a_mistake_of_the_caller(path: Path) -> None:
    machine = open_machine(path)
    with pytest.raises(ValueError, match="comes first"):
        machine.sample()
    machine.close()
    machine.close()


def test_a_gpu_is_named_and_the_cpu_where_layers_stay_on_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = Device("CUDA0", "A Fine GPU", DeviceKind.GPU, 1, 1)
    monkeypatch.setattr(Backend, "devices", always((gpu,)))
    for layers, names in ((None, ("A Fine GPU",)), (1, ("A Fine GPU", "CPU")), (0, ("CPU",))):
        machine = open_machine(path, LoadSettings(extra_buffers=ExtraBuffers.AVOIDED, n_gpu_layers=layers))
        assert machine.device_names == names
        machine.close()


def test_reasoning_marks_are_shown_although_they_are_control_tokens(tmp_path: Path) -> None:
    tokens = ("<unk>", "<s>", "</s>", "<think>", "</think>", *TOKENS[5:])
    path = forge_llama_model(tmp_path / "think.gguf", TinyModel(tokens=tokens))
    machine = open_machine(path)
    assert [machine.piece(token) for token in (1, 2, 3, 4)] == [b"", b"", b"<think>", b"</think>"]
    machine.close()


def test_what_was_allocated_is_measured(path: Path) -> None:
    with load_engine(path, replace(SAFE, n_ctx_cells=512), lambda _share: None) as engine:
        facts = engine.facts
    (host,) = facts.measured
    assert host.device == HOST
    assert (host.needs.kv, host.needs.output) == (N_LAYERS * 512 * 2 * 32 * 2, 4 * len(TOKENS))
    assert host.needs.weights == host.mapped == facts.model_size_bytes
    assert replace(host.needs, weights=0, kv=0, compute=0, output=0) == Needs()
    assert facts.memory_bytes == host.needs.total


@pytest.mark.parametrize(
    ("changes", "cells", "limit"),
    [
        ({"n_seq_max": 4}, 1024, 512),
        ({"n_seq_max": 4, "kv_unified": False}, 1024, 256),
        ({"n_seq_max": 3, "kv_unified": False}, 1536, 512),
        ({"mlock": True}, 1024, 512),
        ({"mlock": True, "mmap": False}, 1024, 512),
        ({"n_cpu_moe_layers": 5, "tensor_split": (1.0, 1.0)}, 1024, 512),
    ],
)
def test_every_option_is_honoured(path: Path, changes: dict[str, Any], cells: int, limit: int) -> None:
    settings = replace(SAFE, n_ctx_cells=1024, **changes)
    with load_engine(path, settings, lambda _share: None) as engine:
        assert (engine.facts.n_ctx_cells, engine.facts.request_limit_tokens) == (cells, limit)
        *_, last = engine.submit(CompletionRequest(tokens=(1, 280), sampling=SamplingParams(max_tokens=3, seed=1)))
        assert not isinstance(last, GenerationFailed)


@pytest.mark.parametrize("n_seq_max", [0, 257])
def test_impossible_numbers_of_sequences_are_refused(path: Path, n_seq_max: int) -> None:
    with pytest.raises(ContextNotCreatable) as refused:
        load_engine(path, replace(SAFE, n_seq_max=n_seq_max), lambda _share: None)
    assert "sequences" in refused.value.what


def continued(engine: Engine, tokens: list[int]) -> tuple[int, str]:
    """Return how much of the prompt was reused, and the text that follows it."""
    sampling = SamplingParams(temperature=0, max_tokens=12)
    events = list(engine.submit(CompletionRequest(tokens=tuple(tokens), sampling=sampling)))
    n_reused = next(event.n_done for event in events if isinstance(event, PromptProcessed))
    return n_reused, "".join(event.text for event in events if isinstance(event, TextProduced))


@pytest.mark.parametrize(("n_shared", "is_reused"), [(100, False), (595, True)])
def test_a_sliding_window_is_only_reused_where_it_is_whole(tmp_path: Path, *, n_shared: int, is_reused: bool) -> None:
    path = forge_gemma(tmp_path / "gemma.gguf")
    settings = replace(SAFE, n_ctx_cells=1024, n_batch_tokens=32, n_ubatch_tokens=32, swa_full=False)
    first = [5 + index * 37 % 250 for index in range(600)]
    second = [*first[:n_shared], 9, 8, 7]
    with load_engine(path, settings, lambda _share: None) as engine:
        continued(engine, first)
        n_reused, text = continued(engine, second)
    with load_engine(path, settings, lambda _share: None) as fresh:
        assert (n_reused, text) == (n_shared if is_reused else 0, continued(fresh, second)[1])
