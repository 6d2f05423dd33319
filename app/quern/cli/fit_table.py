"""How `quern fit` shows its answer to a person: a sentence, a table per device, and what would help."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from quern.base import format_bytes, format_count
from quern.fit import DeviceFit, DeviceNeed, FitReport
from quern.models import ModelEntry
from quern.runtime import MeasuredLoad, advice_sentence, part_name, parts_of, source_words, verdict_sentence
from quern.spec import LoadSettings

from .printable import one_line

if TYPE_CHECKING:
    from rich.table import Table

MOST_LOADS = 5


def fit_tables(
    entry: ModelEntry, report: FitReport, best: LoadSettings | None, measured: Sequence[MeasuredLoad]
) -> "Iterator[Table | str]":
    """Yield the answer, one paragraph or table after the other, with empty lines between them."""
    cells = format_count(report.n_ctx_cells)
    yield f"{one_line(entry.name)} with a context of {cells} tokens, {source_words(report.source)}:"
    yield verdict_sentence(report)
    if best is not None:
        yield ""
        yield _best_table(report.settings, uses_gpus=len(report.devices) > 1)
    for device in report.devices:
        yield ""
        yield _device_table(device)
    if report.advice:
        yield ""
        yield _table("What would help", [(advice_sentence(advice),) for advice in report.advice])
    if measured:
        yield ""
        yield _measured_table(measured[:MOST_LOADS])


def _device_table(device: DeviceFit) -> "Table":
    """Parts, their sum, and what remains of the device."""
    parts = parts_of(device)
    needs = [(part_name(part), format_bytes(size)) for part, size in parts if getattr(device.needs, part, 0)]
    rest = [(part_name(part), format_bytes(size)) for part, size in parts if not getattr(device.needs, part, 0)]
    short = [("Missing", format_bytes(-device.left))] if device.left < 0 else []
    room = device.room
    title = room.device if room.label == room.device else f"{room.device} ({room.label})"
    rows = [*needs, ("Together", format_bytes(device.needs.total)), *rest, *short, ("In all", format_bytes(room.total))]
    return _table(title, rows)


def _best_table(settings: LoadSettings, *, uses_gpus: bool) -> "Table":
    """The settings that a goal chose, as far as they decide memory."""
    layers = settings.n_gpu_layers
    on_gpus = [
        ("Layers on the GPU", "all" if layers is None else str(layers)),
        ("Expert layers on the CPU", str(settings.n_cpu_moe_layers)),
        ("Shares of the GPUs", ", ".join(f"{share:g}" for share in settings.tensor_split)),
    ]
    rows = [
        ("Context", f"{format_count(settings.n_ctx_cells or 0)} tokens"),
        ("Parallel requests", str(settings.n_seq_max)),
        ("KV cache", settings.type_k.value),
        ("Ubatch", f"{settings.n_ubatch_tokens} tokens"),
        *(on_gpus if uses_gpus else ()),
    ]
    return _table("Best settings", [row for row in rows if row[1]])


def _measured_table(loads: Sequence[MeasuredLoad]) -> "Table":
    """What loads took in the engine's buffers, beside what was estimated for the same, and how much Quern grew."""
    rows = [
        (
            datetime.fromtimestamp(load.loaded_at).strftime("%Y-%m-%d %H:%M"),
            format_count(load.settings.n_ctx_cells or 0),
            _sum(load.estimated),
            _sum(load.measured),
            format_bytes(load.resident_bytes),
        )
        for load in loads
    ]
    return _table("Loads (without Engine)", rows, ("Context", "Estimated", "Measured", "Quern grew by"))


def _sum(needs: Sequence[DeviceNeed]) -> str:
    if not needs:
        return "nothing"
    return " + ".join(format_bytes(need.needs.total) for need in needs)


def _table(title: str, rows: Sequence[Sequence[str]], heads: Sequence[str] = ()) -> "Table":
    """A titled table: labels on the left, figures ranged right, under `heads` where there are several."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(Text(one_line(title)), overflow="fold", min_width=24)
    for index in range(max(map(len, rows), default=1) - 1):
        table.add_column(heads[index] if heads else "", justify="right", no_wrap=not heads)
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    return table
