"""The bridge delivers in the main thread, in order, and in batches."""

from collections.abc import Iterator
from threading import Thread, current_thread, main_thread

import pytest
from pytestqt.qtbot import QtBot

from quern.base import Cancelled, Job, JobPool, Publisher, QuernError
from quern.gui.bridge import Bridge
from quern.runtime import Unexpected
from tests.gui.ear import Ear


@pytest.fixture
def bridge(qtbot: QtBot) -> Iterator[Bridge]:
    del qtbot
    bridge = Bridge()
    yield bridge
    bridge.close()


def test_results_arrive_in_the_main_thread(bridge: Bridge, qtbot: QtBot) -> None:
    threads: list[tuple[bool, bool]] = []
    work_threads: list[bool] = []

    def work() -> int:
        work_threads.append(current_thread() is main_thread())
        return 42

    bridge.store(work, lambda result: threads.append((result == 42, current_thread() is main_thread())))
    qtbot.waitUntil(lambda: bool(threads))
    assert threads == [(True, True)]
    assert work_threads == [False]


def test_the_store_thread_works_in_the_order_of_the_calls(bridge: Bridge, qtbot: QtBot) -> None:
    done: list[int] = []
    for number in range(50):
        bridge.store(lambda number=number: done.append(number))
    qtbot.waitUntil(lambda: len(done) == 50)
    assert done == list(range(50))


def test_a_failure_reaches_its_callback_as_a_cause(bridge: Bridge, qtbot: QtBot) -> None:
    errors: list[QuernError] = []

    def work() -> None:
        raise ValueError("odd")

    bridge.store(work, on_failure=errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert isinstance(errors[0], Unexpected)


def test_a_failure_that_nobody_handles_is_told(bridge: Bridge, qtbot: QtBot) -> None:
    def work() -> None:
        raise Cancelled

    ear = Ear(bridge.failed)
    with qtbot.waitSignal(bridge.failed):
        bridge.store(work)
    assert isinstance(ear.last[0], Cancelled)


def test_a_busy_publisher_costs_few_batches_and_loses_nothing(bridge: Bridge, qtbot: QtBot) -> None:
    publisher: Publisher[int] = Publisher()
    batches: list[tuple[int, ...]] = []
    bridge.listen(publisher, batches.append)

    def publish() -> None:
        for number in range(5000):
            publisher.publish(number)

    thread = Thread(target=publish)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: sum(map(len, batches)) == 5000)
    assert [number for batch in batches for number in batch] == list(range(5000))
    assert len(batches) < 20


def test_nothing_is_delivered_after_the_listener_stopped(bridge: Bridge, qtbot: QtBot) -> None:
    publisher: Publisher[int] = Publisher()
    heard: list[int] = []
    stop = bridge.listen(publisher, heard.extend)
    publisher.publish(1)
    qtbot.waitUntil(lambda: heard == [1])
    stop()
    publisher.publish(2)
    qtbot.wait(60)
    assert heard == [1]


def test_progress_of_a_job_is_followed(bridge: Bridge, qtbot: QtBot) -> None:
    pool = JobPool("test", 1)
    labels: list[str] = []
    done: list[str] = []

    def work(job: Job[str]) -> str:
        job.report(1, 2, "half")
        return "whole"

    bridge.call(pool.start(work), done.append, on_progress=lambda progress: labels.append(progress.label))
    qtbot.waitUntil(lambda: bool(done))
    pool.close()
    assert done == ["whole"]
    assert labels in ([], ["half"])
