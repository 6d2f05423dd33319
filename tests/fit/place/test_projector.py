"""A projector goes where the model's layers go."""

from pathlib import Path
from typing import cast

import pytest
from tests.fit.forged import cpu, gpu

from quern.base import Json, JsonObject
from quern.fit import FitUnknown, Needs
from quern.fit.place.projector import projector_needs
from quern.hardware import EngineDevice, EngineInfo
from quern.spec import LoadSettings

ASK = "quern.fit.measure.dry_run.ask_worker"
PATH = Path("mmproj.gguf")


def engine_with(*devices: EngineDevice) -> EngineInfo:
    return EngineInfo(version="1", build="1+a", system_info="", backends=("CPU",), devices=(cpu(), *devices))


@pytest.mark.parametrize(
    ("devices", "n_gpu_layers", "uses_gpu"),
    [((), None, False), ((gpu("CUDA0"),), None, True), ((gpu("CUDA0"),), 3, True), ((gpu("CUDA0"),), 0, False)],
)
def test_where(
    monkeypatch: pytest.MonkeyPatch, *, devices: tuple[EngineDevice, ...], n_gpu_layers: int | None, uses_gpu: bool
) -> None:
    asked: list[JsonObject] = []

    def answer(_name: str, question: Json, *_: object) -> Json:
        asked.append(cast("JsonObject", question))
        return {"devices": {"CUDA0": 5, "CPU": 7}}

    monkeypatch.setattr(ASK, answer)
    settings = LoadSettings(n_gpu_layers=n_gpu_layers, n_threads=2)
    needs = projector_needs(PATH, settings, engine_with(*devices), None)
    assert needs == {"CUDA0": Needs(projector=5), "CPU": Needs(projector=7)}
    assert asked == [{"projector": "mmproj.gguf", "uses_gpu": uses_gpu, "n_threads": 2}]


def test_an_answer_that_is_none_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(*_: object) -> Json:
        return {"devices": []}

    monkeypatch.setattr(ASK, answer)
    with pytest.raises(FitUnknown) as unknown:
        projector_needs(PATH, LoadSettings(), engine_with(), None)
    assert "understood" in unknown.value.what
