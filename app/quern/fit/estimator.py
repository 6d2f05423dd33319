"""Anything that can say what a load takes: closed formulas, or llama.cpp itself."""

from typing import Protocol

from quern.spec import LoadSettings

from .need import DeviceNeed
from .report import Source


class Estimator(Protocol):
    """Knows one subject on one machine."""

    @property
    def source(self) -> Source:
        """How it knows."""
        ...

    def needs(self, settings: LoadSettings) -> tuple[DeviceNeed, ...]:
        """Return what each device must hold, the host first. `settings` leave nothing open (see `resolve`).

        Raises FitUnknown with the reason where it cannot be said.
        """
        ...
