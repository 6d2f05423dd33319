"""The worker measures what a model takes; a header that lies ends the worker only."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.gguf.forge import TinyModel, forge_llama_model, with_duplicate_token
from tests.llama.tiny_hybrid import N_VOCAB, forge_hybrid
from tests.llama.tiny_projector import WEIGHT_BYTES, forge_projector

from quern.base import ChildLimits, JsonObject, WorkerAborted, WorkerFailed, ask_worker
from quern.spec import ExtraBuffers, FlashAttention, KvType, LoadSettings, settings_to_json
from quern.workers.dry_run import answer

SETTINGS = LoadSettings(
    n_ctx_cells=512, n_threads=2, flash_attention=FlashAttention.ON, extra_buffers=ExtraBuffers.AVOIDED
)
LIMITS = ChildLimits(120)


def question(path: Path, settings: LoadSettings = SETTINGS) -> JsonObject:
    return {"path": str(path), "settings": settings_to_json(settings)}


def ask(path: Path, settings: LoadSettings = SETTINGS) -> JsonObject:
    found = ask_worker("dry_run", question(path, settings), LIMITS)
    assert isinstance(found, dict)
    return found


def ask_here(path: Path, settings: LoadSettings = SETTINGS) -> JsonObject:
    found = answer(question(path, settings))
    assert isinstance(found, dict)
    return found


def host(found: JsonObject) -> JsonObject:
    devices = found["devices"]
    assert isinstance(devices, list)
    assert isinstance(devices[0], dict)
    return devices[0]


def test_it_says_what_a_model_takes(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "tiny.gguf")
    found = ask(path)
    assert host(found)["device"] == "CPU"
    assert host(found)["kv"] == 2 * 512 * 2 * 32 * 2
    assert host(found)["weights"] == host(found)["plain_weights"]
    assert (found["n_ctx_cells"], found["n_ctx_seq_cells"], found["gpus"]) == (512, 512, [])
    assert (found["knows_weights"], found["is_exact"]) == (True, True)
    assert isinstance(found["resident"], int)
    assert 1 << 20 < found["resident"] < 1 << 26


def test_a_model_stays_open_for_the_next_question_but_not_a_changed_one(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "tiny.gguf")
    first = ask_here(path)
    assert host(ask_here(path, replace(SETTINGS, n_ctx_cells=1024)))["kv"] == 2 * 2 * 512 * 2 * 32 * 2
    second = ask_here(path)
    assert host(second) == host(first)
    assert second["resident"] is None
    tokens = (*TinyModel().tokens, "more")
    forge_llama_model(path, TinyModel(tokens=tokens))
    assert ask_here(path)["n_vocab"] == len(tokens)


def test_a_header_without_tensors_is_measured_too(tmp_path: Path) -> None:
    found = ask(forge_hybrid(tmp_path / "header.gguf"))
    assert (found["knows_weights"], found["n_vocab"]) == (False, N_VOCAB)
    assert host(found)["recurrent"] != 0


def test_a_vocabulary_that_is_not_read_takes_the_same_buffers(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "tiny.gguf")
    vocabulary: JsonObject = {"architecture": "llama", "n_tokens": len(TinyModel().tokens)}
    unread, read = ask_worker("dry_run", {**question(path), "vocabulary": vocabulary}, LIMITS), ask(path)
    assert isinstance(unread, dict)
    assert unread | {"resident": 0} == read | {"resident": 0}
    assert unread["resident"] is None


def test_a_vocabulary_of_another_size_is_refused(tmp_path: Path) -> None:
    vocabulary: JsonObject = {"architecture": "llama", "n_tokens": 7}
    with pytest.raises(WorkerFailed) as failed:
        ask_worker("dry_run", {**question(forge_llama_model(tmp_path / "tiny.gguf")), "vocabulary": vocabulary}, LIMITS)
    assert failed.value.kind == "LoadRefused"


@pytest.mark.parametrize("n_ctx_cells", [0, -1, 10**12])
def test_impossible_contexts_are_refused(tmp_path: Path, n_ctx_cells: int) -> None:
    with pytest.raises(WorkerFailed) as failed:
        ask(forge_llama_model(tmp_path / "tiny.gguf"), replace(SETTINGS, n_ctx_cells=n_ctx_cells))
    assert failed.value.kind == "ContextRefused"


def test_a_kv_type_that_the_head_size_does_not_divide_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkerFailed) as failed:
        ask(forge_llama_model(tmp_path / "tiny.gguf"), replace(SETTINGS, type_k=KvType.Q8_0))
    assert failed.value.kind == "ContextRefused"
    assert "does not divide" in str(failed.value.fields["reason"])


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkerFailed) as failed:
        ask(tmp_path / "gone.gguf")
    assert failed.value.kind == "LoadRefused"


def test_a_header_that_aborts_llama_cpp_aborts_the_worker_only(tmp_path: Path) -> None:
    with pytest.raises(WorkerAborted):
        ask(forge_llama_model(tmp_path / "dup.gguf", with_duplicate_token()))


def test_it_says_what_a_projector_takes(tmp_path: Path) -> None:
    path = forge_projector(tmp_path / "mmproj.gguf")
    found = ask_worker("dry_run", {"projector": str(path), "uses_gpu": False, "n_threads": 1}, LIMITS)
    match found:
        case {"devices": {"CPU": int() as n_bytes}}:
            assert n_bytes > WEIGHT_BYTES
        case _:
            pytest.fail(f"{found} is no answer")


def test_a_model_is_no_projector(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "tiny.gguf")
    with pytest.raises(WorkerFailed) as failed:
        ask_worker("dry_run", {"projector": str(path), "uses_gpu": False, "n_threads": 1}, LIMITS)
    assert failed.value.kind == "LoadRefused"
