"""`quern doctor` on this machine, for a person and for a program."""

import json

import pytest
from tests.gallery.machine_sample import CRASHED, UNUSED_GPU

from quern.cli.doctor import examine_machine
from quern.runtime import DoctorReport

from .conftest import Run


def test_doctor_finds_the_machine_the_engine_and_settings_that_work(run: Run) -> None:
    ran = run("doctor", "--json")
    assert (ran.code, ran.err) == (0, "")
    report = json.loads(ran.out)
    assert report["engine"]["problem"] is None
    assert "CPU" in report["engine"]["backends"]
    assert report["trial"]["problem"] is None
    assert report["trial"]["rung"] in ("everything", "no_extra_buffers")
    assert report["cpu"]["default_threads"] >= 1
    assert set(report["cpu"]["used_features"]) <= set(report["cpu"]["features"])
    assert report["disk"]["free_bytes"] > 0
    assert report["memory"]["others_bytes"] > 0
    assert [device["backend"] for device in report["engine"]["devices"]] == ["CPU"]
    assert report["gpu_fallback"] is None or report["gpus"]
    assert all(set(gap) == {"cause", "weight", "sentence", "advice", "command"} for gap in report["gaps"])
    assert set(report["versions"]) >= {"Quern", "Python", "llama-cpp-python", "PySide6-Essentials"}

    ran = run("doctor")
    assert (ran.code, ran.err) == (0, "")
    assert "(remembered)" in ran.out
    lines = ran.out.splitlines()
    assert lines == [line.rstrip() for line in lines]
    assert ran.out.count("\n\n") == 3 + len(report["gpus"]) + len(report["gaps"])

    assert report["cpu"]["brand"] in ran.out
    engine = f"llama-cpp-python {report['engine']['version']}"
    # What was found of every section starts in the same column.
    columns = {
        line.index(found) for line in lines for found in (report["platform"], f"{engine}, build ") if found in line
    }
    assert len(columns) == 1


def test_a_remembered_trial_still_says_what_was_tried(run: Run) -> None:
    first, again = (json.loads(run("doctor", "--json").out)["trial"] for _ in range(2))
    assert (first["remembered"], again["remembered"]) == (False, True)
    assert first["attempts"] == again["attempts"]
    assert again["attempts"][-1]["outcome"] == "passed"


def examined_as(monkeypatch: pytest.MonkeyPatch, report: DoctorReport) -> None:
    def examine(*_: object) -> DoctorReport:
        return report

    monkeypatch.setattr("quern.runtime.doctor.doctor.examine", examine)


def test_what_is_not_used_is_told_with_its_command_on_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    examined_as(monkeypatch, UNUSED_GPU)
    examine_machine()
    lines = capsys.readouterr().out.splitlines()
    (command,) = (line for line in lines if "CMAKE_ARGS" in line)
    assert command == f"  {UNUSED_GPU.gaps[0].command}"
    sentence = lines.index(UNUSED_GPU.gaps[0].sentence)
    assert lines[sentence - 1] == ""
    assert lines[sentence + 1] == UNUSED_GPU.gaps[0].advice


def test_an_engine_that_crashes_is_said_and_the_rest_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    examined_as(monkeypatch, CRASHED)
    examine_machine()
    said = capsys.readouterr()
    assert "NVIDIA GeForce RTX 4090" in said.out
    assert "The engine cannot be asked which devices it sees." in said.out
    assert "crashed (SIGSEGV)" in said.err
