"""`quern list`: the models on this machine."""

from typing import TYPE_CHECKING

from quern.base import Json, format_bytes, format_count, format_short_count
from quern.models import ModelEntry, Origin

from .failure import say_problem
from .option import JsonOption
from .output import print_json, print_rich
from .printable import one_line

if TYPE_CHECKING:
    from rich.table import Table

_ORIGINS = {
    Origin.STARTER: "starter model",
    Origin.OWN_FOLDER: "own folder",
    Origin.ADDED: "added file",
}


def list_models(as_json: JsonOption = False) -> None:
    """List the models that Quern can use."""
    from .visit import NoModels, visit  # imported when needed, so that --help is quick

    with visit("quern list") as here:
        entries = here.library.scan()
        folder = here.home.models
    if as_json:
        print_json([described(entry) for entry in entries])
    elif entries:
        print_rich(_table(entries))
    else:
        say_problem(NoModels(folder))


def described(entry: ModelEntry) -> dict[str, Json]:
    """Return what `--json` tells of a model; sizes in bytes, context in tokens, null where the file does not say."""
    facts = entry.facts
    return {
        "name": entry.name,
        "path": str(entry.path),
        "files": [str(shard) for shard in entry.shards],
        "size_bytes": entry.size_bytes,
        "origin": entry.origin.value,
        "architecture": facts.architecture if facts else None,
        "parameter_count": facts.parameter_count if facts else None,
        "quantization": facts.quantization if facts else None,
        "n_ctx_train": facts.n_ctx_train if facts else None,
        "has_chat_template": bool(facts and facts.chat_templates),
        "problem": f"{entry.problem.what} {entry.problem.next_step}" if entry.problem else None,
    }


def _table(entries: tuple[ModelEntry, ...]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Model", overflow="fold")
    for heading in ("Parameters", "Quantization", "Size", "Context"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("From", overflow="fold")
    for entry in entries:
        table.add_row(*(Text(one_line(cell)) for cell in _row(entry)))
    return table


def _row(entry: ModelEntry) -> tuple[str, ...]:
    facts = entry.facts
    if entry.problem is not None or facts is None:
        problem = entry.problem.what if entry.problem else ""
        return (entry.name, "", "", format_bytes(entry.size_bytes), "", f"{_ORIGINS[entry.origin]}: {problem}")
    return (
        entry.name,
        format_short_count(facts.parameter_count),
        facts.quantization,
        format_bytes(entry.size_bytes),
        format_count(facts.n_ctx_train) if facts.n_ctx_train else "",
        _ORIGINS[entry.origin],
    )
