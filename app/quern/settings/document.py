"""The text of settings.toml and the settings in it: flatten, migrate, check; edit in place.

Layout: a `version` line, then one table per section::

    version = 1

    [appearance]
    theme = "dark"  # comments stay
"""

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import cast

from .declaration import setting_for
from .problem import BadSetting, SettingsNewer, SettingsProblem, UnknownSetting
from .setting import SettingValue

_HEADING = "Quern's settings. Change them here or on the Settings page; comments and unknown lines are kept."


@dataclass(frozen=True, slots=True)
class Rename:
    """Format `since_version` calls the setting `old` by the name `new`."""

    since_version: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The version that Quern writes, and what was renamed on the way to it."""

    version: int
    renames: tuple[Rename, ...] = ()

    def renames_after(self, version: int) -> dict[str, str]:
        """Return old key -> new key for what was renamed after `version`."""
        return {rename.old: rename.new for rename in self.renames if rename.since_version > version}


CURRENT_FORMAT = FileFormat(1)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file says: checked values by key, and what could not be used."""

    values: dict[str, SettingValue]
    problems: tuple[SettingsProblem, ...]


def read_settings(document: Mapping[str, object], file_format: FileFormat) -> Reading:
    """Check every value of a parsed file. Never raises: what is wrong is in the result's `problems`."""
    values: dict[str, SettingValue] = {}
    problems: list[SettingsProblem] = []
    version = document.get("version", 0)
    if not isinstance(version, int):
        problems.append(BadSetting("version", str(version), "a whole number"))
        version = 0
    if version > file_format.version:
        problems.append(SettingsNewer(version))
    renames = file_format.renames_after(version)
    for key, value in _flat(document, ""):
        if key == "version":
            continue
        current_key = renames.get(key, key)
        try:
            values[current_key] = setting_for(current_key).checked(value)
        except (UnknownSetting, BadSetting) as problem:
            problems.append(problem)
    return Reading(values, tuple(problems))


def edit_text(text: str, changes: Mapping[str, SettingValue], forgotten: tuple[str, ...], to: FileFormat) -> str:
    """Return `text` with `changes` set, `forgotten` keys removed and old names renamed; all else stays as it was.

    Raises ValueError when that is impossible without losing something.
    """
    import tomlkit

    text = text if text.strip() else f"# {_HEADING}\n"
    parsed = tomlkit.parse(text)
    document = cast("MutableMapping[str, object]", parsed)
    version = document.get("version", 0)
    if not isinstance(version, int):
        raise ValueError("version is not a number")
    for old, new in to.renames_after(version).items():
        _rename(document, old, new)
    if version < to.version:
        document["version"] = to.version
    for key in forgotten:
        _remove(document, key)
    for key, value in changes.items():
        _set(document, key, value)
    return tomlkit.dumps(parsed)


def _flat(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(cast("dict[str, object]", value), f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _section(document: MutableMapping[str, object], key: str) -> MutableMapping[str, object] | None:
    """Return the table that `key` belongs to, or None when there is none yet."""
    section = document.get(key.partition(".")[0])
    if section is None:
        return None
    if not isinstance(section, MutableMapping):
        raise ValueError(f"{key} is not where a setting belongs")
    return cast("MutableMapping[str, object]", section)


def _set(document: MutableMapping[str, object], key: str, value: object) -> None:
    import tomlkit

    section_name, _, name = key.partition(".")
    section = _section(document, key)
    if section is None:
        document[section_name] = tomlkit.table()
        section = cast("MutableMapping[str, object]", document[section_name])
    if isinstance(section.get(name), MutableMapping):
        raise ValueError(f"{key} is not where a setting belongs")
    section[name] = value


def _remove(document: MutableMapping[str, object], key: str) -> object | None:
    section = _section(document, key)
    return None if section is None else section.pop(key.partition(".")[2], None)


def _rename(document: MutableMapping[str, object], old: str, new: str) -> None:
    value = _remove(document, old)
    if value is not None:
        _set(document, new, value)
