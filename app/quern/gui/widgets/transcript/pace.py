"""How often a streaming reply is drawn: as often as it stays cheap."""

from collections.abc import Callable
from time import get_clock_info, perf_counter, thread_time

from PySide6.QtCore import QObject, QTimer

SHORTEST_MS = 33
LONGEST_MS = 250
"""At 100 tokens/s one token in 26 then bears an update, so that the 95th percentile of all tokens stays light."""
SHARE = 40
"""Drawing light updates may take one part in so many of the time."""
LIGHT_MS = 1.5
"""An update that costs no more may come as often as `SHARE` allows; a heavier one waits `LONGEST_MS`."""

FINE_S = 1e-4
work_clock: Callable[[], float] = thread_time if get_clock_info("thread_time").resolution < FINE_S else perf_counter
"""Seconds of work by this thread; where the system counts them too coarsely (Windows), seconds on the wall."""


class Pace(QObject):
    """Owns the timer that bundles updates. `spent` counts everything an update costs, painting included."""

    def __init__(self, draw: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._draw = draw
        self._cost_ms = 0.5
        self._spent_ms = 0.0
        self._is_waiting = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._draw_now)

    @property
    def interval_ms(self) -> int:
        """How long the next update waits."""
        return LONGEST_MS if self._cost_ms > LIGHT_MS else round(max(SHORTEST_MS, SHARE * self._cost_ms))

    def ask(self) -> None:
        """Draw soon; many calls make one update."""
        if not self._is_waiting:
            self._is_waiting = True
            self._cost_ms += (self._spent_ms - self._cost_ms) * 0.3 if self._spent_ms else 0.0
            self._spent_ms = 0.0
            self._timer.start(self.interval_ms)

    def draw_now(self) -> None:
        """Draw what is pending without waiting."""
        if self._is_waiting:
            self._timer.stop()
            self._draw_now()

    def spend(self, seconds: float) -> None:
        """Count work that an update caused."""
        self._spent_ms += seconds * 1000

    def _draw_now(self) -> None:
        self._is_waiting = False
        self._draw()
