"""The doctor tells what is there, what works and what does not, without naming a person."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from tests.gguf.forge import forge_llama_model

from quern.base import Cancelled, CancelToken, Home, Json, QuernError, WorkerTimedOut
from quern.models import Library
from quern.runtime import Attempt, NoRungWorks, Outcome, Proof, Rung, doctor
from quern.runtime.doctor import Surroundings, examine
from quern.runtime.doctor_report import DoctorReport
from quern.runtime.doctor_text import OUTCOME_WORDS, RUNG_WORDS, sections_of, text_of, why_safer
from quern.spec import LoadSettings

from .scripted_engine import ScriptedTrials

ENGINE: dict[str, Json] = {
    "version": "0.3.36",
    "build": "0.3.36+abc",
    "system_info": "CPU : AVX = 1 | FMA = 1 | CUDA : ARCHS = 890 | USE_GRAPHS = 1",
    "devices": [
        {"name": "CUDA0", "description": "Fast GPU", "kind": "gpu", "free_bytes": 1, "total_bytes": 2},
        {"name": "CPU", "description": "Slow CPU", "kind": "cpu", "free_bytes": 3, "total_bytes": 4},
    ],
}

Answer = Callable[[], Json]


@pytest.fixture
def home(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A data folder with one tiny model, below the person's own folder, and an engine that answers."""
    monkeypatch.setattr("quern.models.library.starter_path", lambda: None)
    monkeypatch.setattr(Path, "home", lambda: own_home.parent)
    home = Home(own_home)
    home.prepare()
    forge_llama_model(home.models / "tiny.gguf")
    answer_with(monkeypatch, lambda: ENGINE)
    return home


def answer_with(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
    def ask(*_: object) -> Json:
        return answer()

    monkeypatch.setattr(doctor, "ask_worker", ask)


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
    document = report.to_json()
    engine = document["engine"]
    assert isinstance(engine, dict)
    assert engine["backends"] == ["CPU", "CUDA"]
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
    def crash() -> Json:
        raise WorkerTimedOut("engine_info", 30)

    answer_with(monkeypatch, crash)
    report = report_on(home)
    (problem,) = report.problems
    assert isinstance(problem, WorkerTimedOut)
    engine = report.to_json()["engine"]
    assert isinstance(engine, dict)
    assert "no answer within 30 s" in str(engine["problem"])


NO_DEVICES: Json = [{}]
STRANGE: list[Json] = [None, {}, {"version": 3}, {**ENGINE, "devices": NO_DEVICES}]


@pytest.mark.parametrize("answer", STRANGE)
def test_an_answer_that_no_engine_gives_is_told(home: Home, monkeypatch: pytest.MonkeyPatch, answer: Json) -> None:
    answer_with(monkeypatch, lambda: answer)
    (problem,) = report_on(home).problems
    assert "cannot be understood" in problem.what


def test_without_a_model_the_report_says_so(home: Home) -> None:
    (home.models / "tiny.gguf").unlink()
    report = report_on(home)
    assert report.to_json()["trial"] is None
    assert "There is no model to try" in text_of(report)


def test_neither_text_nor_json_names_the_persons_folder(home: Home) -> None:
    report = report_on(home)
    personal = str(home.root.parent)
    assert personal not in text_of(report)
    assert personal not in str(report.to_json())
    assert report.to_json()["data_folder"] == "~/quern home"


def test_a_cancelled_examination_ends_as_cancelled(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancelled() -> Json:
        raise Cancelled

    answer_with(monkeypatch, cancelled)
    with pytest.raises(Cancelled):
        report_on(home)


def test_every_rung_and_outcome_has_words() -> None:
    assert set(RUNG_WORDS) == set(Rung)
    assert set(OUTCOME_WORDS) == set(Outcome)


def test_every_section_has_lines(home: Home) -> None:
    sections = sections_of(report_on(home))
    assert [section.title for section in sections] == ["Machine", "Engine", "Trial", "Quern"]
    assert all(label and found for section in sections for label, found in section.lines)
