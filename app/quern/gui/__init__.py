"""The face: a native window over the app, in Qt Widgets."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .application import LaunchOptions as LaunchOptions
    from .application import run as run

__all__ = ["LaunchOptions", "run"]

__getattr__ = lazy_exports(__name__, {"LaunchOptions": "application", "run": "application"})
