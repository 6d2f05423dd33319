"""The doctor tells what is there, what works and what does not, without naming a person."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from tests.gguf.forge import forge_llama_model
from tests.runtime.scripted_engine import ScriptedTrials

from quern.base import Cancelled, CancelToken, Home, Json, QuernError, WorkerTimedOut
from quern.hardware import (
    Cpu,
    DeviceKind,
    Disk,
    EngineDevice,
    EngineInfo,
    GapCause,
    Gpu,
    Machine,
    Memory,
    Place,
    Vendor,
)
from quern.models import Library
from quern.runtime import Attempt, NoRungWorks, Outcome, Proof, Rung
from quern.runtime.doctor import doctor
from quern.runtime.doctor.doctor import Surroundings, examine
from quern.runtime.doctor.doctor_json import report_json
from quern.runtime.doctor.doctor_report import DoctorReport
from quern.runtime.doctor.doctor_text import OUTCOME_WORDS, RUNG_WORDS, sections_of, text_of, why_safer
from quern.spec import LoadSettings

ENGINE = EngineInfo(
    version="0.3.36",
    build="0.3.36+abc",
    system_info="CPU : AVX = 1 | FMA = 1 | CUDA : ARCHS = 890 | USE_GRAPHS = 1",
    backends=("CUDA", "CPU"),
    devices=(
        EngineDevice(
            name="CUDA0",
            description="Fast GPU",
            kind=DeviceKind.GPU,
            backend="CUDA",
            free=11 << 30,
            total=12 << 30,
            address="0000:01:00.0",
        ),
        EngineDevice(name="CPU", description="Slow CPU", kind=DeviceKind.CPU, backend="CPU", free=3, total=4),
    ),
)
BARE_ENGINE = replace(ENGINE, backends=("CPU",), devices=ENGINE.devices[1:], system_info="CPU : AVX = 1 | FMA = 1")
CARD = Gpu(
    vendor=Vendor.NVIDIA,
    name="NVIDIA GeForce RTX 4070",
    total=12 << 30,
    free=11 << 30,
    driver="560.35.03",
    platform="CUDA 12.6",
    target="8.9",
    address="0000:01:00.0",
)
MACHINE = Machine(
    cpu=Cpu(
        brand="A CPU",
        architecture="x86_64",
        n_physical_cores=8,
        n_logical_cores=12,
        n_performance_cores=4,
        n_usable_threads=12,
        features=("avx", "fma"),
    ),
    memory=Memory(total_bytes=16 << 30, available_bytes=9 << 30, own_bytes=1 << 30, installed_bytes=64 << 30),
    gpus=(CARD,),
    place=Place(system="Linux", container="docker"),
    disk=Disk(total_bytes=900 << 30, free_bytes=200 << 30),
)

Answer = Callable[[], EngineInfo]


@pytest.fixture
def home(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A data folder with one tiny model, below the person's own folder, and an engine that answers."""
    monkeypatch.setattr("quern.models.library.starter_path", lambda: None)
    monkeypatch.setattr(Path, "home", lambda: own_home.parent)
    home = Home(own_home)
    home.prepare()
    forge_llama_model(home.models / "tiny.gguf")
    find_machine(monkeypatch, MACHINE)
    answer_with(monkeypatch, lambda: ENGINE)
    return home


def find_machine(monkeypatch: pytest.MonkeyPatch, machine: Machine) -> None:
    def found(*, folder: Path) -> Machine:
        assert folder.is_dir()
        return machine

    monkeypatch.setattr(doctor, "detect_machine", found)


def answer_with(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
    def ask(_cancel: CancelToken) -> EngineInfo:
        return answer()

    monkeypatch.setattr(doctor, "ask_engine", ask)


EVERYTHING = Attempt(Rung.EVERYTHING, Outcome.PASSED)
PASSED = Proof(settings=LoadSettings(), rung=Rung.EVERYTHING, remembered=False, attempts=(EVERYTHING,))


def report_on(home: Home, trial: Proof | QuernError = PASSED) -> DoctorReport:
    here = Surroundings(
        home=home,
        library=Library(home, None),
        trials=ScriptedTrials(trial),
        load=LoadSettings(),
        is_offline=True,
    )
    return examine(here, CancelToken())


def test_a_healthy_machine_has_no_problems_and_tells_everything(home: Home) -> None:
    report = report_on(home)
    assert report.problems == ()
    document = report_json(report)
    engine = document["engine"]
    assert isinstance(engine, dict)
    assert engine["backends"] == ["CUDA", "CPU"]
    devices = cast("list[dict[str, Json]]", engine["devices"])
    assert [device["name"] for device in devices] == ["CUDA0", "CPU"]
    assert document["trial"] == {
        "model": "tiny F32",
        "rung": "everything",
        "remembered": False,
        "attempts": [{"rung": "everything", "outcome": "passed", "detail": ""}],
        "problem": None,
    }
    assert document["offline"] is True
    assert (document["gaps"], document["gpu_fallback"]) == ([], None)
    assert document["container"] == "docker"
    assert document["disk"] == {"total_bytes": 900 << 30, "free_bytes": 200 << 30}
    (gpu,) = cast("list[dict[str, Json]]", document["gpus"])
    assert (gpu["vendor"], gpu["target"], gpu["total_bytes"], gpu["problem"]) == ("NVIDIA", "8.9", 12 << 30, None)


def test_the_text_tells_the_machine_each_gpu_and_what_the_engine_sees(home: Home) -> None:
    lines = text_of(report_on(home)).splitlines()
    for line in (
        "  Runs in: docker",
        "  Cores: 8 physical (4 fast, 4 efficient), 12 logical; 4 threads compute",
        "  CPU features: AVX, FMA",
        "  Used of them: all",
        "  Memory: 16.0 GiB of 64.0 GiB, by a limit: 9.0 GiB free, 1.0 GiB Quern, 6.0 GiB others",
        "  Disk: 900 GiB, 200 GiB free",
        "NVIDIA GeForce RTX 4070",
        "  Memory: 12.0 GiB, 11.0 GiB free",
        "  Driver: 560.35.03, CUDA 12.6",
        "  Target: compute capability 8.9",
        "  Engine: used as CUDA0 (CUDA)",
        "  Device: CUDA0: Fast GPU, 12.0 GiB, 11.0 GiB free",
        "  Device: CPU: Slow CPU, 4 B",
    ):
        assert line in lines
    assert "Not used" not in lines


def test_a_gpu_that_is_not_used_is_told_with_its_command(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, lambda: BARE_ENGINE)
    report = report_on(home)
    text, document = text_of(report), report_json(report)
    assert "What: NVIDIA GeForce RTX 4070 found, driver 560.35.03 (CUDA 12.6); this engine build has no CUDA." in text
    assert 'Command: CMAKE_ARGS="-DGGML_CUDA=on" python -m pip install' in text
    assert "Engine: not used" in text
    (gap,) = cast("list[dict[str, Json]]", document["gaps"])
    assert (gap["cause"], gap["weight"]) == ("backend_missing", "loss")
    assert document["gpu_fallback"] == gap["sentence"]
    assert report.problems == ()


def test_unified_memory_is_told_as_the_machines_own(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    mac = Gpu(
        vendor=Vendor.APPLE,
        name="Apple M3 Pro",
        total=36 << 30,
        free=20 << 30,
        platform="Metal 3",
        target="Apple M3 Pro",
        is_unified=True,
        working_set=27 << 30,
    )
    find_machine(monkeypatch, replace(MACHINE, gpus=(mac,), place=Place(system="macOS"), disk=None))
    text = text_of(report_on(home))
    assert "  Memory: the machine's own, of which it may use 27.0 GiB, 20.0 GiB free" in text.splitlines()
    assert "Target" not in text
    assert "Disk" not in text


def test_a_machine_without_a_gpu_says_so(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    find_machine(monkeypatch, replace(MACHINE, gpus=(), place=Place(system="Linux", is_wsl=True)))
    answer_with(monkeypatch, lambda: BARE_ENGINE)
    text = text_of(report_on(home))
    assert "  GPU: none found" in text.splitlines()
    assert "  Runs in: Windows (WSL)" in text.splitlines()


def test_the_engine_is_asked_anew_by_each_examination(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten: list[int] = []
    monkeypatch.setattr(doctor, "forget_engine", lambda: forgotten.append(1))
    report_on(home)
    report_on(home)
    assert len(forgotten) == 2


def test_a_rung_that_crashes_is_told_with_the_one_that_works(home: Home) -> None:
    attempts = (
        Attempt(Rung.EVERYTHING, Outcome.CRASHED, "SIGSEGV"),
        Attempt(Rung.NO_EXTRA_BUFFERS, Outcome.PASSED),
    )
    proof = Proof(settings=LoadSettings(), rung=Rung.NO_EXTRA_BUFFERS, remembered=False, attempts=attempts)
    text = text_of(report_on(home, proof))
    assert "Tried: every kernel: crashed (SIGSEGV)" in text
    why = "the fastest CPU kernels (AMX and the like) crashed in the trial"
    assert f"Result: works: {why}, so Quern runs without them" in text
    assert why_safer(proof) == why
    remembered = replace(proof, remembered=True)
    assert f"Result: works (remembered): {why}" in text_of(report_on(home, remembered))


def test_kernels_that_the_person_does_without_did_not_crash(home: Home) -> None:
    attempts = (Attempt(Rung.NO_EXTRA_BUFFERS, Outcome.PASSED),)
    proof = Proof(settings=LoadSettings(), rung=Rung.NO_EXTRA_BUFFERS, remembered=False, attempts=attempts)
    assert "as the settings ask" in text_of(report_on(home, proof))
    assert why_safer(proof) == why_safer(PASSED) == ""


def test_what_the_engine_was_built_for_is_a_list_that_wraps(home: Home) -> None:
    assert "Built for: CPU: AVX, FMA; CUDA: ARCHS=890, USE_GRAPHS\n" in text_of(report_on(home))


def test_a_trial_that_nothing_survives_is_a_problem_of_the_report_not_of_the_doctor(home: Home) -> None:
    attempts = (Attempt(Rung.EVERYTHING, Outcome.CRASHED, "SIGILL"),)
    report = report_on(home, NoRungWorks(home.models / "tiny.gguf", attempts))
    (problem,) = report.problems
    assert "does not run on this machine" in problem.what
    assert "SIGILL" in text_of(report)


def test_an_engine_that_crashes_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash() -> EngineInfo:
        raise WorkerTimedOut("devices", 30)

    answer_with(monkeypatch, crash)
    report = report_on(home)
    (problem,) = report.problems
    assert isinstance(problem, WorkerTimedOut)
    assert [gap.cause for gap in report.gaps] == [GapCause.ENGINE_FAILED]
    assert "Engine: " not in text_of(report)
    engine = report_json(report)["engine"]
    assert isinstance(engine, dict)
    assert "no answer within 30 s" in str(engine["problem"])


def test_without_a_model_the_report_says_so(home: Home) -> None:
    (home.models / "tiny.gguf").unlink()
    report = report_on(home)
    assert report_json(report)["trial"] is None
    assert "There is no model to try" in text_of(report)


def test_neither_text_nor_json_names_the_persons_folder(home: Home) -> None:
    report = report_on(home)
    personal = str(home.root.parent)
    assert personal not in text_of(report)
    assert personal not in str(report_json(report))
    assert report_json(report)["data_folder"] == "~/quern home"


def test_a_cancelled_examination_ends_as_cancelled(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancelled() -> EngineInfo:
        raise Cancelled

    answer_with(monkeypatch, cancelled)
    with pytest.raises(Cancelled):
        report_on(home)


def test_every_rung_and_outcome_has_words() -> None:
    assert set(RUNG_WORDS) == set(Rung)
    assert set(OUTCOME_WORDS) == set(Outcome)


def test_every_section_has_lines(home: Home) -> None:
    sections = sections_of(report_on(home))
    assert [section.title for section in sections] == [
        "Machine",
        "NVIDIA GeForce RTX 4070",
        "Engine",
        "Trial",
        "Quern",
    ]
    assert all(label and found for section in sections for label, found in section.lines)
