"""That models run on the CPU although there is a GPU is told once, until it is dismissed or mended."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from quern import hardware
from quern.base import WorkerCrashed
from quern.gui.viewmodels.gpu_watch import GpuWatch
from quern.hardware import Gap, GapCause, Gpu, Machine, Vendor
from tests.gui.conftest import Place
from tests.gui.ear import Ear

GAP = Gap(cause=GapCause.BACKEND_MISSING, sentence="RTX 4070 is not used.", advice="Install another build.")


@dataclass
class Found:
    """What the hardware room answers."""

    stamp: str = "first"
    gpus: tuple[Gpu, ...] = (Gpu(vendor=Vendor.NVIDIA, name="RTX 4070"),)
    gap: Gap | None = GAP
    engine_error: Exception | None = None
    asked: list[str] = field(default_factory=list[str])


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Found:
    answers = Found()

    def machine() -> object:
        answers.asked.append("machine")
        return _MachineStub(answers.gpus)

    def engine(_cancel: object) -> str:
        answers.asked.append("engine")
        if answers.engine_error is not None:
            raise answers.engine_error
        return "engine"

    def fallback(_machine: Machine, _engine: object) -> Gap | None:
        return answers.gap

    doors: dict[str, Callable[..., object]] = {
        "detect_machine": machine,
        "ask_engine": engine,
        "gpu_fallback": fallback,
        "machine_stamp": lambda: answers.stamp,
    }
    for name, door in doors.items():
        monkeypatch.setattr(hardware, name, door, raising=False)
    return answers


@dataclass
class _MachineStub:
    gpus: tuple[Gpu, ...]


@pytest.fixture
def watch(place: Place) -> Iterator[GpuWatch]:
    made = GpuWatch(place.desk.bridge, place.app.jobs)
    yield made
    made.close()


def check(place: Place, watch: GpuWatch, found: Found, n_looks: int) -> None:
    watch.check()
    place.qtbot.waitUntil(lambda: found.asked.count("machine") == n_looks and not watch.is_checking)


def test_a_gpu_that_is_not_used_is_told(place: Place, watch: GpuWatch, found: Found) -> None:
    changed = Ear(watch.changed)
    check(place, watch, found, 1)
    assert watch.told == GAP
    check(place, watch, found, 1)
    assert len(changed.heard) == 1
    assert found.asked == ["machine", "engine"]


def test_a_machine_without_a_gpu_asks_no_engine(place: Place, watch: GpuWatch, found: Found) -> None:
    found.gpus = ()
    check(place, watch, found, 1)
    assert watch.told is None
    assert found.asked == ["machine"]


def test_an_engine_that_crashes_while_it_looks_is_a_gap_too(place: Place, watch: GpuWatch, found: Found) -> None:
    found.engine_error = WorkerCrashed("devices", "SIGSEGV")
    check(place, watch, found, 1)
    assert watch.told == GAP


def test_dismissed_it_stays_so_until_something_else_is_wrong(place: Place, watch: GpuWatch, found: Found) -> None:
    check(place, watch, found, 1)
    watch.dismiss()
    assert watch.told is None
    found.stamp = "after sleep"
    check(place, watch, found, 2)
    assert watch.told is None
    other = Gap(cause=GapCause.GPU_LOST, sentence="RTX 4070 is gone.", advice="Restart the computer.")
    found.stamp, found.gap = "card fell off", other
    check(place, watch, found, 3)
    assert watch.told == other
    found.stamp, found.gap = "new driver", None
    check(place, watch, found, 4)
    assert watch.told is None
