"""Jobs tell how far they are, how they ended, and can be stopped."""

from threading import Event

import pytest

from quern.base import Cancelled, Job, JobPhase, JobPool, Progress


def test_a_job_returns_what_its_work_returns_and_reports_on_the_way():
    def work(job: Job[int]) -> int:
        job.report(1, 4, "halfway to half")
        return 42

    job = Job(work)
    heard: list[Progress] = []
    job.progressed.subscribe(heard.append)
    assert job.phase is JobPhase.WAITING
    job.run()
    assert job.wait() == 42
    assert job.phase is JobPhase.SUCCEEDED
    assert heard == [Progress(1, 4, "halfway to half")]
    assert heard[0].fraction == 0.25


def test_progress_of_unknown_extent_has_no_fraction():
    assert Progress(5, None).fraction is None
    assert Progress(5, 4).fraction == 1.0


def test_a_job_keeps_what_its_work_raised():
    def work(_: Job[None]) -> None:
        raise ZeroDivisionError("twice")

    job = Job(work)
    job.run()
    assert job.phase is JobPhase.FAILED
    with pytest.raises(ZeroDivisionError, match="twice"):
        job.wait()


def test_a_cancelled_job_stops_where_it_reports():
    def work(job: Job[None]) -> None:
        job.cancel()
        job.report(1)
        raise AssertionError("the report let it through")

    job = Job(work)
    job.run()
    assert job.phase is JobPhase.CANCELLED
    with pytest.raises(Cancelled):
        job.wait()


def test_who_asks_for_the_end_after_the_end_is_told_at_once():
    job = Job(lambda _: "done")
    ended: list[Job[str]] = []
    job.on_end(ended.append)
    assert ended == []
    job.run()
    job.on_end(ended.append)
    assert ended == [job, job]


def test_waiting_for_a_job_that_does_not_run_times_out():
    with pytest.raises(TimeoutError):
        Job(lambda _: None).wait(0.01)


def test_a_pool_runs_jobs_and_its_end_cancels_those_that_still_wait():
    pool = JobPool("test", 1)
    is_running, may_end = Event(), Event()

    def work(_: Job[str]) -> str:
        is_running.set()
        may_end.wait(30.0)
        return "ran"

    running, waiting = pool.start(work), pool.start(lambda _: "never")
    is_running.wait(30.0)
    waiting.on_end(lambda _: may_end.set())
    pool.close()
    assert running.wait(30.0) == "ran"
    assert waiting.phase is JobPhase.CANCELLED
    with pytest.raises(Cancelled):
        waiting.wait(30.0)
