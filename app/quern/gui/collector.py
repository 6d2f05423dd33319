"""Python's cycle collector, run only in the main thread: Qt objects in a cycle must not be destroyed by another."""

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 1000


class MainThreadCollector(QObject):
    """Owns the clock that collects in place of the interpreter, which would collect in whichever thread allocates.

    The generations and thresholds are the interpreter's own (https://docs.python.org/3/library/gc.html).
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.collect_due)
        self._timer.start()

    def collect_due(self) -> int | None:
        """Collect the oldest generation whose turn it is; return which, or None."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        if counts[0] <= thresholds[0]:
            return None
        due = 0 if counts[1] < thresholds[1] else 1 if counts[2] < thresholds[2] else 2
        gc.collect(due)
        return due

    def stop(self) -> None:
        """Collect what is left and let the interpreter collect again."""
        self._timer.stop()
        gc.collect()
        gc.enable()
