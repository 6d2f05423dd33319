"""`quern doctor` on this machine, for a person and for a program."""

import json

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
    assert set(report["versions"]) >= {"Quern", "Python", "llama-cpp-python", "PySide6-Essentials"}

    ran = run("doctor")
    assert (ran.code, ran.err) == (0, "")
    assert "(remembered)" in ran.out
    lines = ran.out.splitlines()
    assert lines == [line.rstrip() for line in lines]
    assert ran.out.count("\n\n") == 3

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
