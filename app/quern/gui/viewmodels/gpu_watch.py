"""Whether models run on the CPU although there is a GPU worth using: asked at the start, and when that may differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quern.base import Cancelled, JobPool, QuernError
from quern.gui.bridge import Bridge

from .latest import Latest, Overtaken

if TYPE_CHECKING:
    from quern.base import CancelToken
    from quern.hardware import Gap


class GpuWatch(QObject):
    """Owns the answer: `gap` says why the GPU is not used, None where it is, or there is none. `changed` follows it.

    A person may `dismiss` it for as long as the window is open; another gap is told again.
    """

    changed = Signal()

    def __init__(self, bridge: Bridge, jobs: JobPool) -> None:
        super().__init__()
        self._asking = Latest["tuple[str, Gap | None]"](
            bridge, jobs, Overtaken.DROPPED, self._take, lambda _error: None
        )
        self._stamp = ""
        self._dismissed: Gap | None = None
        self.gap: Gap | None = None

    @property
    def told(self) -> Gap | None:
        """What is to be said now."""
        return None if self.gap == self._dismissed else self.gap

    @property
    def is_checking(self) -> bool:
        """Whether somebody looks now."""
        return self._asking.is_running

    def check(self) -> None:
        """Look, in a job; nothing is asked where the machine is as it was."""
        known = self._stamp, self.gap
        self._asking.ask(lambda job: _fallback(*known, job.cancel_token))

    def dismiss(self) -> None:
        """Say no more of it."""
        self._dismissed = self.gap
        self.changed.emit()

    def close(self) -> None:
        """Look no more."""
        self._asking.drop()

    def _take(self, found: tuple[str, Gap | None]) -> None:
        before = self.told
        self._stamp, self.gap = found
        if self.told != before:
            self.changed.emit()


def _fallback(stamp: str, gap: Gap | None, cancel: CancelToken) -> tuple[str, Gap | None]:
    """Return what marks the machine's state and what is wrong in it; what is known holds while the mark does.

    Machines without a GPU ask no engine.
    """
    from quern.hardware import ask_engine, detect_machine, gpu_fallback, machine_stamp

    now = machine_stamp()
    if now == stamp:
        return stamp, gap
    machine = detect_machine()
    if not machine.gpus:
        return now, None
    try:
        engine = ask_engine(cancel)
    except Cancelled:
        raise
    except QuernError as error:
        return now, gpu_fallback(machine, error)
    return now, gpu_fallback(machine, engine)
