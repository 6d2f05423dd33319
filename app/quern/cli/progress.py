"""How far a load is, on the last line of a terminal."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from .output import is_terminal
from .printable import one_line


@contextmanager
def loading_progress(model: str) -> Generator[Callable[[float], None], None, None]:
    """Show "Loading MODEL ... 42 %" on stderr while the body runs; where nobody looks, show nothing.

    The function that the body gets takes the share done, 0..1.
    """
    if not is_terminal(sys.stderr):
        yield lambda _share: None
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False, emoji=False, markup=False)
    label = f"Loading {one_line(model)}"
    with console.status(label) as status:
        yield lambda share: status.update(f"{label} {share:.0%}")
