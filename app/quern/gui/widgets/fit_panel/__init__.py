"""The fit panel: one bar per device, the choices that decide memory, a verdict, and what to change."""

from .panel import FitPanel

__all__ = ["FitPanel"]
