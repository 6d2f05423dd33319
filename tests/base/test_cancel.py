"""A cancel token is set once and for all."""

from threading import Timer

import pytest

from quern.base import Cancelled, CancelToken


def test_a_fresh_token_lets_work_go_on():
    token = CancelToken()
    token.raise_if_cancelled()
    assert not token.is_cancelled
    assert not token.wait(0.0)


def test_a_cancelled_token_raises_where_work_polls():
    token = CancelToken()
    token.cancel()
    assert token.is_cancelled
    with pytest.raises(Cancelled):
        token.raise_if_cancelled()


def test_callbacks_are_called_once_and_late_ones_at_once():
    token = CancelToken()
    called: list[str] = []
    token.on_cancel(lambda: called.append("early"))
    token.cancel()
    token.cancel()
    token.on_cancel(lambda: called.append("late"))
    assert called == ["early", "late"]


def test_wait_ends_as_soon_as_another_thread_cancels():
    token = CancelToken()
    timer = Timer(0.05, token.cancel)
    timer.start()
    assert token.wait(30.0)
    timer.join()
