"""Models as the Models page shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from quern.base.units import format_bytes, format_count, format_short_count
from quern.gui.viewmodels.failure import failure_of
from quern.gui.widgets.model_rows import FitMark, ModelRow

if TYPE_CHECKING:
    from quern.fit import FitReport
    from quern.gguf import ModelFacts
    from quern.models import ModelEntry, Origin


def origin_name(origin: Origin) -> str:
    """Return in words how a model came into the library."""
    match origin.value:
        case "starter":
            return _translated("Came with Quern")
        case "own_folder":
            return _translated("Models folder")
        case _:
            return _translated("Added file")


def row_of(entry: ModelEntry, loaded: str, report: FitReport | None) -> ModelRow:
    """Return the table row of `entry`; `loaded` is the name of the loaded model, `report` how it fits, where known."""
    facts = entry.facts
    return ModelRow(
        name=entry.name,
        n_parameters=0 if facts is None else facts.parameter_count,
        architecture="" if facts is None else facts.architecture,
        quantization="" if facts is None else facts.quantization,
        size_bytes=entry.size_bytes,
        n_ctx_train=0 if facts is None else facts.n_ctx_train or 0,
        origin=origin_name(entry.origin),
        problem="" if entry.problem is None else failure_of(entry.problem).what,
        is_loaded=entry.name == loaded,
        fit="" if report is None else fit_words(report),
        fit_mark=FitMark.UNKNOWN if report is None else FitMark(report.verdict.value),
        fit_sentence="" if report is None else fit_sentence(report),
    )


def fit_words(report: FitReport) -> str:
    """Return in a few words how a model fits at the person's own settings."""
    match report.verdict.value:
        case "fits":
            return _translated("Fits")
        case "tight":
            return _translated("Tight")
        case "partial":
            return _translated("Partly on the GPU")
        case _ if report.largest_ctx_cells is not None:
            return _translated("Up to {0}").format(format_count(report.largest_ctx_cells))
        case _:
            return _translated("Too large")


def fit_sentence(report: FitReport) -> str:
    """Return how a model fits, in whole sentences."""
    from quern.runtime import verdict_sentence

    context = _translated("At a context of {0}:").format(format_count(report.n_ctx_cells))
    return f"{context} {verdict_sentence(report)}"


def facts_of_entry(entry: ModelEntry) -> tuple[tuple[str, str], ...]:
    """Return what the header says of `entry`, as (name, value); unknown facts are left out."""
    facts = entry.facts
    n_files = len(entry.shards)
    size = format_bytes(entry.size_bytes)
    rows = [(_translated("Size"), _translated("{0} in {1} files").format(size, n_files) if n_files > 1 else size)]
    if facts is not None:
        advised = facts.sampling
        rows = [
            (_translated("Name in the file"), facts.name),
            (_translated("Parameters"), format_short_count(facts.parameter_count) if facts.parameter_count else ""),
            (_translated("Architecture"), facts.architecture),
            (_translated("Quantization"), facts.quantization),
            *rows,
            (_translated("Trained context"), _counted(facts.n_ctx_train)),
            (_translated("Layers"), _counted(facts.n_layer)),
            (_translated("Vocabulary"), _counted(facts.n_vocab)),
            (_translated("Advised temperature"), "" if advised.temperature is None else f"{advised.temperature:g}"),
            (_translated("Licence"), facts.licence or ""),
        ]
    rows += [(_translated("Origin"), origin_name(entry.origin)), (_translated("File"), _breakable(str(entry.path)))]
    return tuple((name, value) for name, value in rows if value)


def template_text(facts: ModelFacts) -> str:
    """Return the chat templates of a model; of several, each with its name."""
    templates = facts.chat_templates
    if len(templates) == 1:
        return next(iter(templates.values()))
    return "\n\n".join(f"{{# {name} #}}\n{source}" for name, source in templates.items())


def _counted(number: int | None) -> str:
    return "" if number is None else format_count(number)


def _breakable(path: str) -> str:
    """Return `path` with places where a narrow panel may break it."""
    for separator in ("/", "\\", "_", "-"):
        path = path.replace(separator, separator + "\u200b")
    return path


def _translated(text: str) -> str:
    return QCoreApplication.translate("ModelFacts", text)
