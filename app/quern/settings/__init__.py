"""Every setting declared once, with its sentence: load, validate, migrate, save."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .declaration import SETTINGS as SETTINGS
    from .declaration import setting_for as setting_for
    from .problem import BadSetting as BadSetting
    from .problem import SettingsNewer as SettingsNewer
    from .problem import SettingsNotSaved as SettingsNotSaved
    from .problem import SettingsProblem as SettingsProblem
    from .problem import SettingsUnreadable as SettingsUnreadable
    from .problem import UnknownSetting as UnknownSetting
    from .setting import Choice as Choice
    from .setting import Kind as Kind
    from .setting import Limits as Limits
    from .setting import Setting as Setting
    from .setting import SettingValue as SettingValue
    from .setting import Special as Special
    from .snapshot import Settings as Settings
    from .snapshot import Theme as Theme
    from .store import SettingsStore as SettingsStore

__all__ = [
    "SETTINGS",
    "BadSetting",
    "Choice",
    "Kind",
    "Limits",
    "Setting",
    "SettingValue",
    "Settings",
    "SettingsNewer",
    "SettingsNotSaved",
    "SettingsProblem",
    "SettingsStore",
    "SettingsUnreadable",
    "Special",
    "Theme",
    "UnknownSetting",
    "setting_for",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "SETTINGS": "declaration",
        "BadSetting": "problem",
        "Choice": "setting",
        "Kind": "setting",
        "Limits": "setting",
        "Setting": "setting",
        "SettingValue": "setting",
        "Settings": "snapshot",
        "SettingsNewer": "problem",
        "SettingsNotSaved": "problem",
        "SettingsProblem": "problem",
        "SettingsStore": "store",
        "SettingsUnreadable": "problem",
        "Special": "setting",
        "Theme": "snapshot",
        "UnknownSetting": "problem",
        "setting_for": "declaration",
    },
)
