"""`quern show MODEL`: what one model is."""

from typing import TYPE_CHECKING

from quern.base import Json, QuernError, format_bytes, format_count, format_short_count
from quern.gguf import ModelFacts
from quern.models import ModelEntry

from .list import described
from .option import JsonOption, ModelArgument
from .output import print_json, print_rich
from .printable import one_line

if TYPE_CHECKING:
    from rich.table import Table

    from quern.fit import FitReport

    from .visit import Visit


def show_model(model: ModelArgument, as_json: JsonOption = False) -> None:
    """Show what a model is: size, context, template and advised sampling."""
    from .visit import visit  # imported when needed, so that --help is quick

    with visit("quern show") as here:
        entry = here.find(model)
        facts = entry.require_facts()
        report = _fit(here, entry)
    if as_json:
        print_json({**described(entry), **_details(facts), "fit": None if report is None else report.verdict.value})
    else:
        print_rich(_table(entry, facts, "" if report is None else _fit_words(report)))


def _fit(here: "Visit", entry: ModelEntry) -> "FitReport | None":
    """The instant answer at the person's settings; None where the header does not say enough."""
    try:
        session, settings = here.fitting.open(entry), here.settings
        wish = settings.load_wish
        return session.instant(settings.load if wish is None else session.best(wish, settings.load))
    except QuernError:
        return None


def _fit_words(report: "FitReport") -> str:
    from quern.runtime import verdict_sentence

    return f"with {format_count(report.n_ctx_cells)} tokens of context: {verdict_sentence(report)}"


def _details(facts: ModelFacts) -> dict[str, Json]:
    return {
        "title": facts.name,
        "n_layer": facts.n_layer,
        "n_embd": facts.n_embd,
        "n_vocab": facts.n_vocab,
        "bos_token_id": facts.bos_token_id,
        "eos_token_id": facts.eos_token_id,
        "licence": facts.licence,
        "sampling": dict(_advice(facts)),
        "chat_templates": dict(facts.chat_templates),
    }


def _advice(facts: ModelFacts) -> list[tuple[str, int | float]]:
    advised = facts.sampling
    values = {
        "temperature": advised.temperature,
        "top_k": advised.top_k,
        "top_p": advised.top_p,
        "min_p": advised.min_p,
        "repeat_penalty": advised.repeat_penalty,
        "repeat_last_n_tokens": advised.repeat_last_n_tokens,
    }
    return [(name, value) for name, value in values.items() if value is not None]


def _table(entry: ModelEntry, facts: ModelFacts, fit: str) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for label, value in (*_rows(entry, facts), ("Fit", fit)):
        if value:
            table.add_row(label, Text(one_line(value)))
    return table


def _rows(entry: ModelEntry, facts: ModelFacts) -> list[tuple[str, str]]:
    files = "" if len(entry.shards) < 2 else f" in {len(entry.shards)} files"
    return [
        ("Model", entry.name),
        ("Title", facts.name),
        ("File", str(entry.path)),
        ("Size", format_bytes(entry.size_bytes) + files),
        ("Architecture", facts.architecture),
        ("Parameters", format_short_count(facts.parameter_count)),
        ("Quantization", facts.quantization),
        ("Trained context", f"{format_count(facts.n_ctx_train)} tokens" if facts.n_ctx_train else ""),
        ("Layers", format_count(facts.n_layer) if facts.n_layer else ""),
        ("Vocabulary", f"{format_count(facts.n_vocab)} tokens" if facts.n_vocab else ""),
        (
            "Chat templates",
            ", ".join(sorted(facts.chat_templates)) or "none: the model was probably not trained to chat",
        ),
        ("Advised sampling", ", ".join(f"{name} {value:g}" for name, value in _advice(facts))),
        ("Licence", facts.licence or ""),
        ("Unreadable metadata", ", ".join(facts.garbled_keys)),
    ]
