"""`quern chat MODEL`: talk to a model in the terminal, or ask it once."""

from typing import Annotated

import typer

from quern.chat import BUILT_IN_TEMPLATES

from .option import JsonOption, ModelArgument, Style, help_of, number_of, whole_number_of


def _known_template(name: str | None) -> str | None:
    if name is not None and name not in BUILT_IN_TEMPLATES:
        raise typer.BadParameter(f"it must be one of {', '.join(BUILT_IN_TEMPLATES)}.")
    return name


def chat_with_model(
    model: ModelArgument,
    once: Annotated[
        str | None,
        typer.Option(
            metavar="PROMPT",
            help="Print the reply to PROMPT and exit; stdin is then left unread. -: the prompt is what is on stdin.",
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(help=help_of("sampling.temperature"), metavar="NUMBER", parser=number_of("sampling.temperature")),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help=help_of("sampling.seed"), metavar="INTEGER", parser=whole_number_of("sampling.seed")),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            help=help_of("sampling.max_tokens"), metavar="INTEGER", parser=whole_number_of("sampling.max_tokens")
        ),
    ] = None,
    system: Annotated[str | None, typer.Option(metavar="TEXT", help=help_of("chat.system_prompt"))] = None,
    ctx: Annotated[
        int | None,
        typer.Option(help=help_of("load.n_ctx_cells"), metavar="INTEGER", parser=whole_number_of("load.n_ctx_cells")),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(help=help_of("load.n_threads"), metavar="INTEGER", parser=whole_number_of("load.n_threads")),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Use a built-in chat template, not the model's own: {', '.join(BUILT_IN_TEMPLATES)}.",
            callback=_known_template,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Talk to a model, or ask it once with --once PROMPT. Without --once, what a pipe brings on stdin is the prompt."""
    from .talk import Wanted, talk  # imported when needed, so that --help is quick

    wanted = Wanted(
        model=model,
        load={"n_ctx_cells": ctx, "n_threads": threads},
        sampling={"temperature": temperature, "seed": seed, "max_tokens": max_tokens},
        system_prompt=system,
        template_name=template,
    )
    raise typer.Exit(talk(wanted, once, Style.JSON if as_json else Style.TEXT))
