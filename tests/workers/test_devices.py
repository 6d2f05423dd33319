"""The engine describes itself from a child."""

from pathlib import Path

import pytest

from quern.base import ChildLimits, Json, WorkerFailed, ask_worker
from quern.engine import engine_build, engine_version


def asked() -> dict[str, Json]:
    answer = ask_worker("devices", None, ChildLimits(60))
    assert isinstance(answer, dict)
    return answer


def test_says_version_build_features_and_devices() -> None:
    answer = asked()
    assert (answer["version"], answer["build"]) == (engine_version(), engine_build())
    assert "CPU" in str(answer["system_info"])
    assert answer["backends"] == ["CPU"]
    devices = answer["devices"]
    assert isinstance(devices, list)
    assert [(d["kind"], d["backend"], d["address"]) for d in devices if isinstance(d, dict)] == [("cpu", "CPU", None)]
    assert (answer["complaint"], answer["cuda_runtime"]) == ("", None)


def test_says_which_variables_hide_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert asked()["hidden_by"] == ["CUDA_VISIBLE_DEVICES=-1"]
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert asked()["hidden_by"] == []


def test_a_library_that_is_not_there_is_an_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(tmp_path))
    with pytest.raises(WorkerFailed) as caught:
        asked()
    assert caught.value.kind == "LibraryMissing"
