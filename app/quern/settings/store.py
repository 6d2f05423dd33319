"""The settings file: read with every problem collected, written so that nothing a person typed is lost."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import RLock
from types import MappingProxyType

from quern.base import Publisher

from .declaration import setting_for
from .document import CURRENT_FORMAT, FileFormat, edit_text, read_settings
from .file import move_aside, replace_text
from .problem import SettingsNotSaved, SettingsProblem, SettingsUnreadable
from .setting import SettingValue
from .snapshot import Settings

_MAX_FILE_BYTES = 1 << 20


class SettingsStore:
    """Owns settings.toml: its current values, its problems, and the only way to change it.

    `changed` publishes the new Settings in the saving thread. Thread-safe. A person may edit the file by hand at any
    time: a save applies only its own changes to what is in the file then.
    """

    def __init__(self, path: Path, file_format: FileFormat = CURRENT_FORMAT) -> None:
        self._path = path
        self._format = file_format
        self._lock = RLock()
        self.current = Settings()
        self.problems: tuple[SettingsProblem, ...] = ()
        self.changed: Publisher[Settings] = Publisher()

    def load(self) -> Settings:
        """Read the file and return its settings; a missing file is all defaults.

        Never raises for what the file holds: `problems` says what could not be used, and defaults stand in for it.
        """
        with self._lock:
            try:
                reading = read_settings(self._parsed(self._text()), self._format)
            except SettingsUnreadable as problem:
                self.current, self.problems = Settings(), (problem,)
            else:
                self.current, self.problems = Settings(MappingProxyType(reading.values)), reading.problems
            return self.current

    def save(self, changes: Mapping[str, SettingValue]) -> Settings:
        """Set `changes` by key, keep every other line and comment of the file, and publish the new settings.

        A file that cannot be edited safely is first moved aside as settings.kept-1.toml (-2, ...), never overwritten.
        Raises UnknownSetting, BadSetting (nothing is changed) or SettingsNotSaved (the change holds in memory).
        """
        return self._apply({key: setting_for(key).checked(value) for key, value in changes.items()}, ())

    def reset(self, keys: Iterable[str]) -> Settings:
        """Forget what the person chose for `keys`, so that defaults and the model's own values hold again.

        Raises UnknownSetting or SettingsNotSaved.
        """
        return self._apply({}, tuple(setting_for(key).key for key in keys))

    def _apply(self, changes: Mapping[str, SettingValue], forgotten: tuple[str, ...]) -> Settings:
        failure = None
        with self._lock:
            kept = {key: value for key, value in self.current.chosen.items() if key not in forgotten}
            self.current = Settings(MappingProxyType(kept | dict(changes)))
            try:
                self._write(changes, forgotten)
                self.load()
            except OSError as error:
                failure = SettingsNotSaved(self._path, error.strerror or str(error))
            current = self.current
        self.changed.publish(current)
        if failure is not None:
            raise failure
        return current

    def _write(self, changes: Mapping[str, SettingValue], forgotten: tuple[str, ...]) -> None:
        try:
            text = self._text()
            self._parsed(text)
            edited = edit_text(text, changes, forgotten, self._format)
        except (SettingsUnreadable, ValueError):
            move_aside(self._path)
            edited = edit_text("", self.current.chosen, (), self._format)
        replace_text(self._path, edited)

    def _text(self) -> str:
        """Return the file's text, empty when there is none. Raises SettingsUnreadable."""
        try:
            if self._path.stat().st_size > _MAX_FILE_BYTES:
                raise SettingsUnreadable(self._path, "it is larger than a settings file can be")
            return self._path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            raise SettingsUnreadable(self._path, "it is not UTF-8 text") from error
        except OSError as error:
            raise SettingsUnreadable(self._path, error.strerror or str(error)) from error

    def _parsed(self, text: str) -> Mapping[str, object]:
        """Return the file's tables. Raises SettingsUnreadable when it is not TOML."""
        try:
            return tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise SettingsUnreadable(self._path, f"it is not valid TOML ({str(error).rstrip('.')})") from error
