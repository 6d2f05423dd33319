"""The trial worker survives, or dies in a way that its asker can tell apart."""

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gguf.forge import TinyModel, forge_llama_model, with_duplicate_token

from quern.base import ChildLimits, Json, WorkerAborted, WorkerFailed, ask_worker
from quern.spec import ExtraBuffers, LoadSettings, settings_to_json

SAFE = LoadSettings(extra_buffers=ExtraBuffers.AVOIDED)
LIMITS = ChildLimits(120)


def ask(path: Path, settings: LoadSettings = SAFE) -> Json:
    return ask_worker("trial", {"path": str(path), "settings": settings_to_json(settings)}, LIMITS)


def test_a_good_model_passes_with_figures(tmp_path: Path) -> None:
    answer = ask(forge_llama_model(tmp_path / "good.gguf"))
    assert isinstance(answer, dict)
    assert answer["ok"] is True
    assert answer["device_names"] == ["CPU"]
    assert isinstance(answer["prompt_tokens_per_s"], float)


@pytest.mark.parametrize("n_batch", [0, 1, 17])
def test_the_prompt_is_cut_to_the_batch(tmp_path: Path, n_batch: int) -> None:
    answer = ask(forge_llama_model(tmp_path / "good.gguf"), replace(SAFE, n_batch_tokens=n_batch))
    assert isinstance(answer, dict)
    assert answer["ok"] is True


def test_weights_that_are_not_numbers_are_found(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "nan.gguf")
    path.write_bytes(path.read_bytes()[:-4] + struct.pack("<f", float("nan")))  # the last weight of the last tensor
    with pytest.raises(WorkerFailed) as failed:
        ask(path)
    assert failed.value.kind == "NotNumbers"


def test_gg_06_a_duplicate_token_aborts_the_worker_only(tmp_path: Path) -> None:
    with pytest.raises(WorkerAborted) as aborted:
        ask(forge_llama_model(tmp_path / "dup.gguf", with_duplicate_token()))
    assert "token_to_id" in aborted.value.last_words


def test_the_engines_refusal_comes_with_its_fields(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "m.gguf", TinyModel(metadata={"general.architecture": "flux"}))
    with pytest.raises(WorkerFailed) as failed:
        ask(path)
    assert (failed.value.kind, failed.value.fields["architecture"]) == ("UnknownArchitecture", "flux")
