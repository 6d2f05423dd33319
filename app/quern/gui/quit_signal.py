"""Ctrl-C, a logout or a closed terminal end the window as its close button does, and not as a crash."""

import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier, Signal

QUIT_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)


class QuitSignals(QObject):
    """Owns the process's handlers of the signals that ask it to end; `asked` is emitted in the main thread.

    Python runs its handlers only between two steps of Python, and an idle window takes none: the signal's number is
    written to a socket (signal.set_wakeup_fd), which wakes Qt. Made in the main thread, once.
    """

    asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._hear)
        self._former_descriptor = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._former = {number: signal.signal(number, _note) for number in QUIT_SIGNALS}

    def close(self) -> None:
        """Give the signals back to the handlers they had. Does nothing the second time."""
        for number, handler in self._former.items():
            signal.signal(number, handler)
        if self._former:
            signal.set_wakeup_fd(self._former_descriptor)
            self._notifier.setEnabled(False)
            self._reader.close()
            self._writer.close()
        self._former = {}

    def _hear(self) -> None:
        numbers = self._reader.recv(64)
        if any(number in QUIT_SIGNALS for number in numbers):
            self.asked.emit()


def _note(_number: int, _frame: object) -> None:
    """The socket tells; a handler must exist so that the signal does not end the process."""
