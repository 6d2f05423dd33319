"""The settings as the window uses them: current values, problems of the file, and changing one."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from quern.gui.bridge import Bridge
from quern.settings import Settings, SettingsStore, SettingValue

from .failure import Failure, failure_of


class Preferences(QObject):
    """Owns the window's view of the settings. `changed` carries (older, newer); `failed` a Failure.

    A change holds at once and is written in the store thread.
    """

    changed = Signal(object, object)
    failed = Signal(object)

    def __init__(self, store: SettingsStore, bridge: Bridge) -> None:
        super().__init__()
        self._store = store
        self._bridge = bridge
        self._current = store.current
        bridge.listen(store.changed, lambda events: self._take(events[-1]))

    @property
    def current(self) -> Settings:
        """The settings in use."""
        return self._current

    def problems(self) -> tuple[Failure, ...]:
        """What the settings file holds that could not be used."""
        return tuple(failure_of(problem) for problem in self._store.problems)

    def change(self, key: str, value: SettingValue) -> None:
        """Set `key` to `value`."""
        self.change_all({key: value})

    def change_all(self, changes: Mapping[str, SettingValue]) -> None:
        """Set several at once."""
        self._bridge.store(
            lambda: self._store.save(dict(changes)), self._take, lambda error: self.failed.emit(failure_of(error))
        )

    def reset(self, key: str) -> None:
        """Forget what was chosen for `key`."""
        self._bridge.store(
            lambda: self._store.reset([key]), self._take, lambda error: self.failed.emit(failure_of(error))
        )

    def _take(self, newer: Settings) -> None:
        older, self._current = self._current, newer
        if newer != older:
            self.changed.emit(older, newer)
