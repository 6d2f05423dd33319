"""What the status bar tells that no event does: this process's memory and what the machine has left."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from quern.base import JobPool
from quern.gui.bridge import Bridge

INTERVAL_MS = 2000


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """Bytes that this process uses and that the machine still has."""

    used_bytes: int
    free_bytes: int


def read_memory() -> MemoryReading:
    """Measure now; container limits are applied to what is free."""
    import psutil

    from quern.hardware import detect_memory

    return MemoryReading(psutil.Process().memory_info().rss, detect_memory().available_bytes)


class MemoryMeter(QObject):
    """Owns the clock that measures every two seconds, in a job; `measured` carries a MemoryReading."""

    measured = Signal(object)

    def __init__(self, bridge: Bridge, jobs: JobPool) -> None:
        super().__init__()
        self._bridge = bridge
        self._jobs = jobs
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.measure)

    def start(self) -> None:
        """Measure now and from now on."""
        self._timer.start()
        self.measure()

    def close(self) -> None:
        """Measure no more."""
        self._timer.stop()

    def measure(self) -> None:
        """Measure once, in a job."""
        self._bridge.call(self._jobs.start(lambda _job: read_memory()), self.measured.emit)
