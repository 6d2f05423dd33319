"""Windows' registry as this room reads it: keys below HKEY_LOCAL_MACHINE."""

import sys
from collections.abc import Mapping
from typing import Protocol

RegistryValue = int | str | bytes


class Registry(Protocol):
    """A registry that can be read; what is not there, or may not be read, is empty."""

    def keys(self, path: str) -> tuple[str, ...]:
        """Return the names of the keys directly below `path`."""
        ...

    def values(self, path: str) -> Mapping[str, RegistryValue]:
        """Return the numbers, texts and bytes stored at `path`."""
        ...


class MachineRegistry:
    """HKEY_LOCAL_MACHINE of this Windows; empty on other systems."""

    def keys(self, path: str) -> tuple[str, ...]:
        """Return the names of the keys directly below `path`."""
        if sys.platform != "win32":
            return ()
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path) as key:
                return tuple(winreg.EnumKey(key, index) for index in range(winreg.QueryInfoKey(key)[0]))
        except OSError:
            return ()

    def values(self, path: str) -> Mapping[str, RegistryValue]:
        """Return the numbers, texts and bytes stored at `path`."""
        if sys.platform != "win32":
            return {}
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path) as key:
                entries = [winreg.EnumValue(key, index) for index in range(winreg.QueryInfoKey(key)[1])]
        except OSError:
            return {}
        return {name: value for name, value, _ in entries if isinstance(value, int | str | bytes)}
