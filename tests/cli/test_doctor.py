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
    assert report["cpu"]["brand"] in ran.out
