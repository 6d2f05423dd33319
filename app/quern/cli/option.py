"""Arguments and options that several verbs share, and how a setting becomes an option."""

from collections.abc import Callable
from enum import Enum, auto
from typing import Annotated, TypeVar

import typer

from quern.settings import BadSetting, SettingValue, setting_for

Value = TypeVar("Value", bound=SettingValue)


class Style(Enum):
    """How a result is printed."""

    TEXT = auto()
    JSON = auto()


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A name from `quern list`, or the path of a .gguf file.")
]


def checked_by(key: str) -> Callable[[Value | None], Value | None]:
    """Return an option callback that accepts what the setting `key` does; all else is a usage error (exit code 2)."""
    setting = setting_for(key)

    def check(value: Value | None) -> Value | None:
        if value is None:
            return None
        try:
            setting.checked(value)
        except BadSetting as problem:
            raise typer.BadParameter(f"it must be {problem.reason}.") from problem
        return value

    return check


def help_of(key: str) -> str:
    """Return the sentence of the setting `key`, and what its special number stands for."""
    setting = setting_for(key)
    if setting.special is None:
        return setting.sentence
    return f"{setting.sentence} {setting.special.value}: {setting.special.meaning}."
