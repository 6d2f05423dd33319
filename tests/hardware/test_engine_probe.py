"""The engine is asked once, remembered while nothing changes, and every way it can fail to answer is an error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quern.base import (
    Cancelled,
    CancelToken,
    Json,
    JsonObject,
    QuernError,
    WorkerAborted,
    WorkerCrashed,
    WorkerFailed,
    WorkerTimedOut,
)
from quern.hardware import DeviceKind, EngineDevice, ask_engine, forget_engine
from quern.hardware.engine_probe import EngineProbe, engine_info_of, engine_stamp

DEVICE: JsonObject = {
    "name": "CUDA0",
    "description": "NVIDIA GeForce RTX 4070",
    "kind": "gpu",
    "backend": "CUDA",
    "free": 11,
    "total": 12,
    "address": "00000000:01:00.0",
}
ANSWER: JsonObject = {
    "version": "0.3.36",
    "build": "0.3.36+ab",
    "system_info": "CPU : AVX = 1",
    "backends": ["CUDA", "CPU"],
    "devices": [DEVICE],
    "complaint": "",
    "cuda_runtime": "12.4",
    "hidden_by": ["CUDA_VISIBLE_DEVICES=0"],
}


class Asked:
    """Answers as a worker would, and counts how often."""

    def __init__(self, *answers: Json | QuernError) -> None:
        self.n = 0
        self.stamp = "one"
        self._answers = list(answers)

    def ask(self, _cancel: CancelToken | None) -> Json:
        self.n += 1
        answer = self._answers[min(self.n, len(self._answers)) - 1]
        if isinstance(answer, QuernError):
            raise answer
        return answer

    def probe(self) -> EngineProbe:
        return EngineProbe(self.ask, lambda: self.stamp)


def test_the_answer_is_typed() -> None:
    info = engine_info_of(ANSWER)
    assert info.devices == (
        EngineDevice(
            name="CUDA0",
            description="NVIDIA GeForce RTX 4070",
            kind=DeviceKind.GPU,
            backend="CUDA",
            free=11,
            total=12,
            address="0000:01:00.0",
        ),
    )
    assert info.gpu_devices == info.devices
    assert (info.version, info.cuda_runtime, info.hidden_by) == ("0.3.36", "12.4", ("CUDA_VISIBLE_DEVICES=0",))


NONE: Json = [{}]
STRANGE_DEVICES: tuple[Json, ...] = (NONE, [{**DEVICE, "kind": "toaster"}], [{**DEVICE, "free": "much"}])


@pytest.mark.parametrize("answer", [None, {}, {"version": 3}, *({**ANSWER, "devices": d} for d in STRANGE_DEVICES)])
def test_an_answer_that_no_engine_gives_is_a_failure_of_the_worker(answer: Json) -> None:
    with pytest.raises(WorkerFailed, match="cannot be understood"):
        engine_info_of(answer)


def test_an_answer_is_kept_until_the_machine_changes_or_somebody_asks_anew() -> None:
    asked = Asked(ANSWER)
    probe = asked.probe()
    assert probe.info() is probe.info()
    assert asked.n == 1
    asked.stamp = "two"
    probe.info()
    assert asked.n == 2
    probe.forget()
    probe.info()
    assert asked.n == 3


@pytest.mark.parametrize("crash", [WorkerCrashed("devices", "SIGSEGV"), WorkerAborted("devices", "GGML_ASSERT")])
def test_a_crash_is_remembered_and_not_provoked_again(crash: QuernError) -> None:
    asked = Asked(crash, ANSWER)
    probe = asked.probe()
    for _ in range(2):
        with pytest.raises(type(crash)):
            probe.info()
    assert asked.n == 1
    asked.stamp = "after the driver's update"
    assert probe.info().version == "0.3.36"


@pytest.mark.parametrize("error", [WorkerTimedOut("devices", 30), WorkerFailed("devices", "no"), Cancelled()])
def test_what_may_pass_is_asked_again(error: QuernError) -> None:
    asked = Asked(error, ANSWER)
    probe = asked.probe()
    with pytest.raises(type(error)):
        probe.info()
    assert probe.info().version == "0.3.36"


def test_the_stamp_of_the_engine_changes_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine_stamp() == engine_stamp() != ""
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(tmp_path))
    before = engine_stamp()
    os.utime(tmp_path, (1, 1))
    assert engine_stamp() != before


def test_the_installed_engine_says_what_it_is() -> None:
    forget_engine()
    info = ask_engine()
    assert "CPU" in info.backends
    assert [device.backend for device in info.devices if device.kind is DeviceKind.CPU] == ["CPU"]
    assert ask_engine() is info
