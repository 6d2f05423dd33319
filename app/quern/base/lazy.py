"""Room doors that import nothing until a name is asked for (PEP 562)."""

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_exports(room: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return a module `__getattr__` that resolves each public name from its module on first use.

    `room` is the package's `__name__`; `homes` maps a public name to the module inside the room that defines it.
    The room's `__init__` also imports the same names under TYPE_CHECKING, so that type checkers and
    import-linter see them.

    Raises AttributeError for a name the room does not export.
    """

    def __getattr__(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(f"{room}.{homes[name]}"), name)

    return __getattr__
