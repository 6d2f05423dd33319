"""Hears a signal: what it carried, call by call, typed for the tests."""

from PySide6.QtCore import QObject, SignalInstance


class Ear(QObject):
    """Owns the calls of one signal since it was made."""

    def __init__(self, signal: SignalInstance) -> None:
        super().__init__()
        self.heard: list[tuple[object, ...]] = []
        signal.connect(self._hear)

    @property
    def last(self) -> tuple[object, ...]:
        """What the last call carried."""
        return self.heard[-1]

    @property
    def firsts(self) -> list[object]:
        """What each call carried first."""
        return [call[0] for call in self.heard]

    def _hear(self, *carried: object) -> None:
        self.heard.append(carried)
