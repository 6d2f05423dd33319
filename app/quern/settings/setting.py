"""One setting: its key, kind, default, limits and the sentence that explains it."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar, cast

from .problem import BadSetting

SettingValue = bool | int | float | str
Value = TypeVar("Value", bound=SettingValue)


class Kind(Enum):
    """What a setting holds, which also decides the control that a page shows for it."""

    TOGGLE = auto()
    WHOLE_NUMBER = auto()
    NUMBER = auto()
    CHOICE = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class Limits:
    """The smallest and largest allowed value, both included; pages step by `step`."""

    minimum: float
    maximum: float
    step: float = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """One allowed value of a CHOICE setting and the words a person sees for it."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Special:
    """A number that stands for something else, such as 0 for "automatic"."""

    value: int
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Generic[Value]):
    """The one declaration of a setting; page, command-line flag and documentation derive from it."""

    key: str
    kind: Kind
    default: Value
    title: str
    sentence: str
    limits: Limits | None = None
    choices: tuple[Choice, ...] = ()
    special: Special | None = None
    unit: str = ""

    @property
    def section(self) -> str:
        """The part of the key before the dot: the TOML table and the page's group."""
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        """The part of the key after the dot."""
        return self.key.partition(".")[2]

    @property
    def requirement(self) -> str:
        """What a value must be, in words that complete "it must be ..."."""
        match self.kind:
            case Kind.TOGGLE:
                return "true or false"
            case Kind.CHOICE:
                return "one of " + ", ".join(choice.value for choice in self.choices)
            case Kind.TEXT:
                return "text"
            case Kind.WHOLE_NUMBER | Kind.NUMBER:
                return self._number_requirement()

    def checked(self, value: object) -> Value:
        """Return `value` as this setting's type (a whole number where a number is wanted becomes one).

        Raises BadSetting when it is of another kind or outside the limits.
        """
        fitting = self._fitting(value)
        if fitting is None:
            raise BadSetting(self.key, _shown(value), self.requirement)
        return fitting

    def _fitting(self, value: object) -> Value | None:
        match self.kind:
            case Kind.TOGGLE:
                fits = isinstance(value, bool)
            case Kind.CHOICE:
                fits = any(choice.value == value for choice in self.choices)
            case Kind.TEXT:
                fits = isinstance(value, str)
            case Kind.WHOLE_NUMBER:
                fits = isinstance(value, int) and not isinstance(value, bool) and self._is_allowed(value)
            case Kind.NUMBER:
                fits = isinstance(value, int | float) and not isinstance(value, bool) and self._is_allowed(value)
                value = float(value) if fits and isinstance(value, int) else value
        return cast("Value", value) if fits else None

    def _is_allowed(self, number: float) -> bool:
        if self.special is not None and number == self.special.value:
            return True
        return self.limits is None or self.limits.minimum <= number <= self.limits.maximum

    def _number_requirement(self) -> str:
        words = "a whole number" if self.kind is Kind.WHOLE_NUMBER else "a number"
        if self.limits is not None:
            words += f" from {self.limits.minimum:.10g} to {self.limits.maximum:.10g}"
        if self.special is not None:
            words += f", or {self.special.value} for {self.special.meaning}"
        return words


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:59] + "…"
