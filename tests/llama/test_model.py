"""Opening a file: progress, refusal with llama.cpp's reason, one free."""

from pathlib import Path

import pytest
from tests.gguf.forge import N_CTX_TRAIN, N_EMBD, N_HEADS, N_HEADS_KV, N_LAYERS, TinyModel, forge_llama_model

from quern.base import Cancelled
from quern.llama import LoadRefused, Model
from quern.llama.log_figures import LogPart

from .conftest import SAFE


def test_says_what_shape_it_has(model: Model) -> None:
    shape = model.shape
    assert (shape.n_layer, shape.n_head, shape.n_head_kv) == (N_LAYERS, N_HEADS, N_HEADS_KV)
    assert (shape.n_embd, shape.n_ctx_train) == (N_EMBD, N_CTX_TRAIN)
    assert model.size_bytes > 0
    assert model.log_figures.total(LogPart.MODEL) > 0
    assert model.why_it_cannot_chat is None


def test_progress_goes_from_little_to_all(tiny_path: Path) -> None:
    shares: list[float] = []

    def note(share: float) -> bool:
        shares.append(share)
        return True

    Model.open(tiny_path, SAFE, note).close()
    assert shares == sorted(shares)
    assert shares[-1] > 0.99


def test_saying_no_to_progress_cancels(tiny_path: Path) -> None:
    with pytest.raises(Cancelled):
        Model.open(tiny_path, SAFE, lambda _share: False)


def test_an_error_of_the_listener_comes_out_as_it_is(tiny_path: Path) -> None:
    def fail(_share: float) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Model.open(tiny_path, SAFE, fail)


def test_gg_16_the_refusal_carries_llama_cpps_reason(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "m.gguf", TinyModel(dropped_tensors=frozenset({"output_norm.weight"})))
    with pytest.raises(LoadRefused, match=r"output_norm\.weight"):
        Model.open(path, SAFE, lambda _share: True)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "no.gguf"
    path.write_text("<!DOCTYPE html>")
    with pytest.raises(LoadRefused, match="magic"):
        Model.open(path, SAFE, lambda _share: True)


def test_a_name_outside_ascii_opens(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "модель ü 模型.gguf")
    with Model.open(path, SAFE, lambda _share: True) as model:
        assert model.shape.n_layer == N_LAYERS


def test_closing_twice_frees_once(tiny_path: Path) -> None:
    model = Model.open(tiny_path, SAFE, lambda _share: True)
    model.close()
    model.close()
    with pytest.raises(ValueError, match="closed"):
        model.shape  # noqa: B018 - asking is the test
