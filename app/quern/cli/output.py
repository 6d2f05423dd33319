"""What a command prints: results on stdout, as rich tables for people and as JSON for programs."""

import json
import os
import shutil
import sys
from io import StringIO
from typing import TYPE_CHECKING, TextIO

from quern.base import Json

from .printable import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

# A table in a pipe is not folded at a width that nobody sees.
_PIPE_COLUMNS = 200
_DEFAULT_COLUMNS = 80
_DIM, _NOT_DIM = "\x1b[2m", "\x1b[22m"


def print_json(document: Json) -> None:
    """Print one JSON document, its text as it is (UTF-8) rather than escaped."""
    print_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def print_json_line(document: Json) -> None:
    """Print one JSON document as one line."""
    print_text(json.dumps(document, ensure_ascii=False) + "\n")


def print_text(text: str) -> None:
    """Print `text` at once, without a line feed of its own; nothing where the program was started without a stdout."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  # typeshed leaves that out
        return
    sys.stdout.write(text)
    sys.stdout.flush()


def print_rich(*renderables: "RenderableType") -> None:
    """Print tables and text on stdout, coloured only where a terminal shows it; in a pipe no line ends in spaces."""
    from rich.console import Console

    if is_terminal(sys.stdout):
        console = Console(highlight=False, emoji=False, markup=False)
        console.print(*renderables, sep="\n")
        return
    paper = StringIO()
    Console(file=paper, highlight=False, emoji=False, markup=False, width=_PIPE_COLUMNS).print(*renderables, sep="\n")
    print_text("".join(f"{line.rstrip()}\n" for line in paper.getvalue().splitlines()))


def dimmed(text: str) -> str:
    """Return `text` printable, and dimmed where a person looks at stderr."""
    shown = printable(text)
    return f"{_DIM}{shown}{_NOT_DIM}" if shown and is_terminal(sys.stderr) else shown


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at `stream`; a program without a console has none."""
    return stream is not None and stream.isatty()


def columns_of(stream: TextIO) -> int:
    """How many columns the terminal behind `stream` has now; 80 where it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_COLUMNS
    except (OSError, ValueError):
        return shutil.get_terminal_size((_DEFAULT_COLUMNS, 24)).columns


def use_utf8() -> None:
    """Make both streams UTF-8 whatever the locale says; a lone surrogate becomes "?"."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
