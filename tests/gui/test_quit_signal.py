"""Signals that ask the process to end reach the window as a wish, also while it idles."""

import signal
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from quern.gui.quit_signal import QUIT_SIGNALS, QuitSignals


@pytest.fixture
def quit_signals() -> Iterator[QuitSignals]:
    signals = QuitSignals()
    yield signals
    signals.close()


@pytest.mark.parametrize("number", QUIT_SIGNALS)
def test_a_signal_asks_the_window_to_close(qtbot: QtBot, quit_signals: QuitSignals, number: signal.Signals) -> None:
    with qtbot.waitSignal(quit_signals.asked, timeout=2000):
        signal.raise_signal(number)


def test_the_former_handlers_come_back(qtbot: QtBot) -> None:
    assert qtbot is not None
    former = [signal.getsignal(number) for number in QUIT_SIGNALS]
    signals = QuitSignals()
    assert [signal.getsignal(number) for number in QUIT_SIGNALS] != former
    signals.close()
    signals.close()
    assert [signal.getsignal(number) for number in QUIT_SIGNALS] == former
