"""The colours of what fills a device's memory: one for each part, seen on the surfaces of both schemes."""

from collections.abc import Mapping
from types import MappingProxyType

from .colors import LIGHT, current_colors

# By the names of quern.runtime's Part, and "shared": what a GPU takes of the machine's own memory.
_LIGHT_PARTS: Mapping[str, str] = MappingProxyType(
    {
        "weights": "#0b6e66",
        "kv": "#3a78b4",
        "recurrent": "#6d5db6",
        "compute": "#b06f16",
        "output": "#8c7a1c",
        "projector": "#a34f86",
        "draft": "#5c7f2c",
        "adapters": "#9a5b3a",
        "runtime": "#4f6f78",
        "shared": "#2c8f86",
        "own": "#5f6470",
        "other": "#8d8880",
    }
)
_DARK_PARTS: Mapping[str, str] = MappingProxyType(
    {
        "weights": "#5cc4b8",
        "kv": "#7fb2ea",
        "recurrent": "#a99cf0",
        "compute": "#e0aa5c",
        "output": "#cfc06a",
        "projector": "#e08fc4",
        "draft": "#a5c96f",
        "adapters": "#d99a78",
        "runtime": "#93b3bb",
        "shared": "#3f9d92",
        "own": "#a3a8b5",
        "other": "#837f78",
    }
)


def part_colors() -> Mapping[str, str]:
    """Return the colour of every part in the scheme in use."""
    return _LIGHT_PARTS if current_colors() is LIGHT else _DARK_PARTS
