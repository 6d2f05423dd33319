"""Ctrl-C as a request to stop what runs, not the program."""

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def on_interrupt(stop: Callable[[], None]) -> Generator[None, None, None]:
    """While the body runs, the first Ctrl-C calls `stop`; the next one raises KeyboardInterrupt as ever.

    Does nothing outside the main thread, where Python lets nobody catch signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.getsignal(signal.SIGINT)

    def handle(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, former)
        stop()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
