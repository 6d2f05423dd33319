"""`quern show MODEL`: what one model is."""

from typing import TYPE_CHECKING

from quern.base import Json, format_bytes, format_count, format_short_count
from quern.gguf import ModelFacts
from quern.models import ModelEntry

from .list import described
from .option import JsonOption, ModelArgument
from .output import print_json, print_rich
from .printable import one_line

if TYPE_CHECKING:
    from rich.table import Table


def show_model(model: ModelArgument, as_json: JsonOption = False) -> None:
    """Show what a model is: size, context, template and advised sampling."""
    from .visit import visit  # imported when needed, so that --help is quick

    with visit("quern show") as here:
        entry = here.find(model)
    if entry.problem is not None:
        raise entry.problem
    facts = entry.facts
    assert facts is not None  # an entry has facts or a problem
    if as_json:
        print_json({**described(entry), **_details(facts)})
    else:
        print_rich(_table(entry, facts))


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


def _table(entry: ModelEntry, facts: ModelFacts) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for label, value in _rows(entry, facts):
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
