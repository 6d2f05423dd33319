"""`quern fit MODEL`: whether a model fits into memory, with how much context, and what to change."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from quern.spec import KvType

from .option import JsonOption, ModelArgument, Style, choice_of, help_of, whole_number_of

AUTOMATIC_LAYERS = -1


class GoalName(StrEnum):
    """What the best settings can be best for, as the command line spells it."""

    FASTEST = "fastest"
    LONGEST_CONTEXT = "longest-context"
    USERS = "users"


def _layers(text: str) -> int:
    """Return a number of layers, -1 for "auto"; all else is a usage error."""
    if text.strip().lower() == "auto":
        return AUTOMATIC_LAYERS
    try:
        return whole_number_of("load.n_gpu_layers")(text)
    except typer.BadParameter as problem:
        raise typer.BadParameter("it must be a whole number, or auto for as many as fit.") from problem


def fit_model(
    model: ModelArgument,
    ctx: Annotated[
        int | None,
        typer.Option(help=help_of("load.n_ctx_cells"), metavar="INTEGER", parser=whole_number_of("load.n_ctx_cells")),
    ] = None,
    parallel: Annotated[
        int | None,
        typer.Option(help=help_of("load.n_seq_max"), metavar="INTEGER", parser=whole_number_of("load.n_seq_max")),
    ] = None,
    kv_type: Annotated[
        KvType | None,
        typer.Option(
            help=f"How the KV cache is stored: {', '.join(KvType)}. Smaller types cost some quality.",
            metavar="TYPE",
            parser=choice_of(KvType),
        ),
    ] = None,
    gpu_layers: Annotated[
        int | None,
        typer.Option(help="How many layers are put on a GPU; auto: as many as fit.", metavar="N|auto", parser=_layers),
    ] = None,
    cpu_moe: Annotated[
        int | None,
        typer.Option(
            help=help_of("load.n_cpu_moe_layers"), metavar="INTEGER", parser=whole_number_of("load.n_cpu_moe_layers")
        ),
    ] = None,
    ubatch: Annotated[
        int | None,
        typer.Option(
            help=help_of("load.n_ubatch_tokens"), metavar="INTEGER", parser=whole_number_of("load.n_ubatch_tokens")
        ),
    ] = None,
    mmproj: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A projector, for images or sound, loaded with the model."),
    ] = None,
    draft: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A draft model, which guesses tokens ahead, loaded with it.")
    ] = None,
    lora: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="An adapter (LoRA) loaded with it; may be repeated.")
    ] = None,
    goal: Annotated[
        GoalName | None,
        typer.Option(
            help="Choose the best settings for fastest, longest-context or users (as many at once as --parallel says), "
            "and show what they take.",
            metavar="GOAL",
            parser=choice_of(GoalName),
        ),
    ] = None,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--instant",
            help="Have the engine measure it (the default where there is one), or estimate it from the file's header.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell whether a model fits into memory, with how much context, and what would help."""
    # Imported when needed, so that --help is quick.
    from quern.runtime import Companions

    from .fit_answer import Asked, answer_fit

    asked = Asked(
        model=model,
        choices={
            "load.n_ctx_cells": ctx,
            "load.n_seq_max": parallel,
            "load.type_k": None if kv_type is None else kv_type.value,
            "load.type_v": None if kv_type is None else kv_type.value,
            "load.n_gpu_layers": gpu_layers,
            "load.n_cpu_moe_layers": cpu_moe,
            "load.n_ubatch_tokens": ubatch,
        },
        companions=Companions(projector=mmproj, draft=draft, adapters=tuple(lora or ())),
        goal=None if goal is None else goal.value,
        wants_exact=exact,
    )
    answer_fit(asked, Style.JSON if as_json else Style.TEXT)
