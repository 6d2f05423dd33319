"""The ladder of ever safer settings, and what each rung is called."""

from dataclasses import replace
from enum import StrEnum

from quern.spec import ExtraBuffers, LoadSettings


class Rung(StrEnum):
    """A step of the ladder. Later rungs give up speed for safety."""

    EVERYTHING = "everything"
    NO_EXTRA_BUFFERS = "no_extra_buffers"

    def applied_to(self, settings: LoadSettings) -> LoadSettings:
        """Return `settings` with what this rung gives up given up."""
        match self:
            case Rung.EVERYTHING:
                return settings
            case Rung.NO_EXTRA_BUFFERS:
                return replace(settings, extra_buffers=ExtraBuffers.AVOIDED)


def ladder(settings: LoadSettings) -> tuple[Rung, ...]:
    """Return the rungs that differ for `settings`, the fastest first."""
    if settings.extra_buffers is ExtraBuffers.AVOIDED:
        return (Rung.NO_EXTRA_BUFFERS,)
    return (Rung.EVERYTHING, Rung.NO_EXTRA_BUFFERS)
