"""How a command ends badly: one sentence and the next step on stderr, nothing on stdout, exit code 1."""

import sys
from collections.abc import Mapping
from contextlib import suppress

from quern.base import Cancelled, QuernError

from .output import columns_of, dimmed, is_terminal
from .printable import printable
from .word_wrap import wrapped

_TEMPLATE_ADVICE = "Use one of Quern's own with --template chatml or --template plain, or choose another model."
# What to do next where the terminal has another way than the window, by the cause's name.
_ADVICE = {
    "ContextOverflow": "Shorten the message, or give the model a larger --ctx.",
    "NoChatTemplate": _TEMPLATE_ADVICE,
    "TemplateBroken": _TEMPLATE_ADVICE,
    "TemplateRefused": _TEMPLATE_ADVICE,
    "TemplateSyntax": _TEMPLATE_ADVICE,
    "TemplateTooLong": _TEMPLATE_ADVICE,
    "TemplateTooSlow": _TEMPLATE_ADVICE,
}

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def say_failure(error: QuernError) -> int:
    """Tell what happened and what to do next; return the exit code."""
    if isinstance(error, Cancelled):
        say("Stopped.")
        return EXIT_INTERRUPTED
    say_problem(error)
    return EXIT_FAILED


def say_problem(error: QuernError, other_advice: Mapping[str, str] | None = None) -> None:
    """Tell what happened and what to do next, where the command goes on or has another exit code.

    `other_advice` is the next step where this command has one of its own, by the cause's name.
    """
    next_step = {**_ADVICE, **(other_advice or {})}.get(type(error).__name__) or error.next_step
    say(" ".join(f"{error.what} {next_step}".split()))


def say(line: str) -> None:
    """Write one line to stderr: what is not a result. A reader that is gone is no reason to fail."""
    with suppress(OSError):
        print(_fitted(printable(line)), file=sys.stderr, flush=True)


def say_quietly(line: str) -> None:
    """Write one line to stderr, dimmed where a person looks."""
    with suppress(OSError):
        print(dimmed(_fitted(line)), file=sys.stderr, flush=True)


def _fitted(text: str) -> str:
    return wrapped(text, columns_of(sys.stderr)) if is_terminal(sys.stderr) else text
