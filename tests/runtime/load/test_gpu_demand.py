"""Where a GPU is demanded, no model is loaded on the CPU alone; otherwise nobody is in the way."""

from dataclasses import replace

import pytest
from tests.runtime.doctor.test_doctor import BARE_ENGINE, CARD, ENGINE, MACHINE

from quern.base import QuernError, WorkerCrashed
from quern.hardware import EngineInfo, Gpu, Machine
from quern.runtime import GpuRequired, check_gpu_demand, require_gpu
from quern.runtime.load.gpu_demand import SETTING
from quern.settings import Settings

DEMAND = Settings().with_choices({SETTING: True})
CRASH = WorkerCrashed("devices", "SIGSEGV")


def refusal(settings: Settings, engine: EngineInfo | QuernError, *gpus: Gpu) -> str:
    machine = replace(MACHINE, gpus=gpus)
    with pytest.raises(GpuRequired) as caught:
        check_gpu_demand(settings, engine, lambda: machine)
    with pytest.raises(GpuRequired, match=r"."):
        require_gpu(machine, engine, settings)
    return caught.value.what


def test_by_default_nothing_is_demanded() -> None:
    assert Settings().get(SETTING) is False
    check_gpu_demand(Settings(), BARE_ENGINE)
    require_gpu(MACHINE, CRASH, Settings())


def test_a_gpu_in_use_satisfies_the_demand_and_the_machine_is_not_asked() -> None:
    def asked() -> Machine:
        raise AssertionError("there is nothing to explain")

    check_gpu_demand(DEMAND, ENGINE, asked)
    require_gpu(MACHINE, ENGINE, DEMAND)


def test_a_refusal_says_what_keeps_the_gpu_from_being_used() -> None:
    assert "this engine build has no CUDA" in refusal(DEMAND, BARE_ENGINE, CARD)
    assert "crashed (SIGSEGV)" in refusal(DEMAND, CRASH, CARD)


def test_without_any_gpu_the_refusal_says_so() -> None:
    assert "No GPU was found" in refusal(DEMAND, BARE_ENGINE)


def test_settings_that_keep_to_the_cpu_contradict_the_demand() -> None:
    settings = DEMAND.with_choices({"load.n_gpu_layers": 0})
    assert "keep all layers on the CPU" in refusal(settings, ENGINE, CARD)
    assert "Settings" in GpuRequired("Why.").next_step
