"""The tree of verbs that typer knows."""

from typing import Annotated

import typer

from .chat import chat_with_model
from .doctor import examine_machine
from .fit import fit_model
from .list import list_models
from .show import show_model
from .version import print_version


def commands() -> typer.Typer:
    """Return the command line. Plain `quern` never comes here: quern.__main__ opens the window itself."""
    app = typer.Typer(
        help="A desktop app for your own language models. Without a command, Quern opens its window.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    app.command("gui")(open_window)
    app.command("list")(list_models)
    app.command("show")(show_model)
    app.command("fit")(fit_model)
    app.command("chat")(chat_with_model)
    app.command("doctor")(examine_machine)
    return app


def open_window() -> None:
    """Open the window, as plain `quern` does."""
    from .gui import main

    raise typer.Exit(main([]))


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print_version()
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version; with --json also the engine's, Qt's and Python's.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass
