"""`quern doctor`: what this machine is, what the engine can use of it, and whether that works."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quern.base import CancelToken

from .failure import say_problem
from .interrupt import on_interrupt
from .option import JsonOption
from .output import print_json, print_rich
from .printable import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from quern.hardware import Gap
    from quern.runtime import ReportSection


def examine_machine(as_json: JsonOption = False) -> None:
    """Examine this machine and the engine; the report holds no personal data and can be shared."""
    # Imported when needed, so that --help is quick.
    from quern.runtime import Surroundings, examine, report_json, sections_of

    from .visit import visit

    cancel = CancelToken()
    with on_interrupt(cancel.cancel), visit("quern doctor") as here:
        surroundings = Surroundings(
            home=here.home,
            library=here.library,
            trials=here.trials,
            load=here.settings.load,
            is_offline=here.is_offline,
        )
        report = examine(surroundings, cancel)
    if as_json:
        print_json(report_json(report))
        return
    sections = sections_of(report)
    label_columns = max(len(text) for section in sections for text in (section.title, *dict(section.lines)))
    print_rich(*_parted([_table(section, label_columns) for section in sections]), *_gaps(report.gaps))
    for problem in report.problems:
        say_problem(problem)


def _parted(tables: "list[Table]") -> "Iterator[Table | str]":
    """Yield the tables with an empty line between them."""
    for n, table in enumerate(tables):
        if n:
            yield ""
        yield table


def _gaps(gaps: "tuple[Gap, ...]") -> "Iterator[RenderableType]":
    """Yield what is not used and what to do about it; a command is one line, so that it can be copied."""
    from rich.text import Text

    for gap in gaps:
        yield ""
        yield Text(one_line(gap.sentence), style="bold")
        yield Text(one_line(gap.advice))
        if gap.command is not None:
            yield Text(f"  {one_line(gap.command)}", no_wrap=True, overflow="ignore")


def _table(section: "ReportSection", label_columns: int) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(section.title, style="dim", no_wrap=True, min_width=label_columns)
    table.add_column(overflow="fold")
    for label, found in section.lines:
        table.add_row(Text(label), Text(one_line(found)))
    return table
