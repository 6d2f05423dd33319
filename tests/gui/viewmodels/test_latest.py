"""Of questions that come faster than answers, the newest is asked; what becomes of the others is chosen."""

from threading import Event

import pytest

from quern.base import Job, QuernError
from quern.gui.viewmodels.latest import Latest, Overtaken
from tests.gui.conftest import Place


@pytest.mark.parametrize(("overtaken", "heard"), [(Overtaken.SHOWN, [0, 4]), (Overtaken.DROPPED, [4])])
def test_between_the_first_and_the_last_nothing_is_asked(place: Place, overtaken: Overtaken, heard: list[int]) -> None:
    answers: list[int] = []
    asked: list[int] = []
    may_go = Event()
    latest = Latest[int](place.desk.bridge, place.app.jobs, overtaken, answers.append, lambda _error: None)

    def ask(number: int) -> None:
        def work(_job: Job[int]) -> int:
            asked.append(number)
            may_go.wait(5)
            return number

        latest.ask(work)

    ask(0)
    place.qtbot.waitUntil(lambda: asked == [0])
    for number in range(1, 5):
        ask(number)
    assert latest.is_running
    may_go.set()
    place.qtbot.waitUntil(lambda: not latest.is_running)
    assert asked == [0, 4]
    assert answers == heard


def test_failures_are_told_and_wishes_are_not(place: Place) -> None:
    failures: list[QuernError] = []
    latest = Latest[int](place.desk.bridge, place.app.jobs, Overtaken.SHOWN, lambda _n: None, failures.append)

    def fail(_job: Job[int]) -> int:
        raise QuernError

    latest.ask(fail)
    place.qtbot.waitUntil(lambda: len(failures) == 1)

    def be_cancelled(job: Job[int]) -> int:
        job.cancel_token.wait(5)
        job.cancel_token.raise_if_cancelled()
        return 1

    latest.ask(be_cancelled)
    latest.drop()
    assert not latest.is_running
    latest.ask(fail)
    place.qtbot.waitUntil(lambda: len(failures) == 2)
