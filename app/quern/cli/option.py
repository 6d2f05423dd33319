"""Arguments and options that several verbs share, and how a setting becomes an option."""

from collections.abc import Callable
from enum import Enum, StrEnum, auto
from functools import partial
from typing import Annotated, TypeVar

import typer

from quern.settings import BadSetting, setting_for

Number = TypeVar("Number", int, float)
Chosen = TypeVar("Chosen", bound=StrEnum)


class Style(Enum):
    """How a result is printed."""

    TEXT = auto()
    JSON = auto()


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A name from `quern list`, or the path of a .gguf file.")
]


def whole_number_of(key: str) -> Callable[[str], int]:
    """Return an option's parser that takes what the setting `key` does; all else is a usage error (exit code 2)."""
    return partial(_parsed, key, int)


def number_of(key: str) -> Callable[[str], float]:
    """Return the like of `whole_number_of` for a setting that may have decimals."""
    return partial(_parsed, key, float)


def choice_of(kind: type[Chosen]) -> Callable[[str], Chosen]:
    """Return an option's parser that takes a value of `kind`; all else is a usage error that names them."""

    def chosen(text: str) -> Chosen:
        try:
            return kind(text)
        except ValueError as problem:
            raise typer.BadParameter(f"it must be one of {', '.join(kind)}.") from problem

    return chosen


def _parsed(key: str, kind: Callable[[str], Number], text: str) -> Number:
    setting = setting_for(key)
    try:
        value = kind(text)
        setting.checked(value)
    except (ValueError, BadSetting) as problem:
        raise typer.BadParameter(f"it must be {setting.requirement}.") from problem
    return value


def help_of(key: str) -> str:
    """Return the sentence of the setting `key`, and what its special number stands for."""
    setting = setting_for(key)
    if setting.special is None:
        return setting.sentence
    return f"{setting.sentence} {setting.special.value}: {setting.special.meaning}."
