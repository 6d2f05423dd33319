"""Which layers see only a window of the last tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from quern.fit.errors import FitUnknown

from .shape_keys import MOST, UINT32_MAX, ShapeKeys

_WINDOW = "attention.sliding_window"
_PATTERN = "attention.sliding_window_pattern"


class WindowKind(Enum):
    """NONE; STANDARD looks back `n_swa` tokens; CHUNKED to the last multiple of it; SYMMETRIC half of it either way."""

    NONE = "none"
    STANDARD = "standard"
    CHUNKED = "chunked"
    SYMMETRIC = "symmetric"


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """The window of `n_swa` tokens and, one entry a layer (the nextn ones too), whether it slides there."""

    kind: WindowKind
    n_swa: int
    layers: tuple[bool, ...]


class _Needed(Enum):
    """ALWAYS: the key must be there; IF_SET: no window without it, or with 0; NEVER: the architecture has its own."""

    ALWAYS = 1
    IF_SET = 2
    NEVER = 3


@dataclass(frozen=True, slots=True)
class _Rule:
    """How an architecture says where its window slides.

    Of `period` layers one is dense: the last, or the first where `dense_first`; 0 means none is. The header may give
    another period, or one value a layer. Without a period it must give one value a layer. `n_swa` replaces what the
    header says, or stands in where the header need not say.
    """

    needed: _Needed
    period: int | None
    dense_first: bool = False
    n_swa: int | None = None
    kind: WindowKind = WindowKind.STANDARD


# From load_arch_hparams of each architecture (src/models/*.cpp); llama4, exaone4, lfm2 and dflash are below.
_RULES: dict[str, _Rule] = {
    "afmoe": _Rule(_Needed.IF_SET, 4),
    "cohere2": _Rule(_Needed.ALWAYS, 4),
    "cohere2moe": _Rule(_Needed.ALWAYS, 4, dense_first=True),
    "dots3note": _Rule(_Needed.ALWAYS, None),
    "exaone-moe": _Rule(_Needed.ALWAYS, 4),
    "gemma-embedding": _Rule(_Needed.ALWAYS, 6, kind=WindowKind.SYMMETRIC),
    "gemma2": _Rule(_Needed.NEVER, 2, n_swa=4096),
    "gemma3": _Rule(_Needed.IF_SET, 6),
    "gemma3n": _Rule(_Needed.ALWAYS, 5),
    "gemma4": _Rule(_Needed.ALWAYS, None),
    "gemma4-assistant": _Rule(_Needed.ALWAYS, None),
    "gpt-oss": _Rule(_Needed.ALWAYS, 2),
    "granite_swa": _Rule(_Needed.ALWAYS, None),
    "laguna": _Rule(_Needed.IF_SET, 4, dense_first=True),
    "maple": _Rule(_Needed.ALWAYS, None),
    "mellum": _Rule(_Needed.IF_SET, 4),
    "mimo2": _Rule(_Needed.ALWAYS, None),
    "modern-bert": _Rule(_Needed.IF_SET, 3, dense_first=True, kind=WindowKind.SYMMETRIC),
    "muse-glimmer": _Rule(_Needed.ALWAYS, 4),
    "olmo2": _Rule(_Needed.IF_SET, 4),
    "plamo3": _Rule(_Needed.IF_SET, 8),
    "smallthinker": _Rule(_Needed.IF_SET, 4, dense_first=True, n_swa=4096),
    "spark2_5": _Rule(_Needed.ALWAYS, None),
    "step35": _Rule(_Needed.ALWAYS, None),
}
_LLAMA4 = _Rule(_Needed.NEVER, 4, n_swa=8192, kind=WindowKind.CHUNKED)
_EXAONE4 = _Rule(_Needed.NEVER, 4, n_swa=4096)  # of 64 layers only
_DFLASH = _Rule(_Needed.IF_SET, None)
# Encoders' windows are masks only: no layer need have one.
_ONLY_MASKS = frozenset({"gemma-embedding", "modern-bert"})


def read_window(keys: ShapeKeys, n_layer: int, n_layer_all: int, recurrent: Sequence[bool]) -> SlidingWindow:
    """Return the window of a model with `n_layer` layers, `n_layer_all` with the nextn ones. Raises FitUnknown."""
    if keys.architecture == "deepseek4" or _is_ring(keys):
        n_swa = keys.count(_WINDOW, most=UINT32_MAX)
        return SlidingWindow(WindowKind.STANDARD, n_swa, (True,) * n_layer_all)
    if keys.architecture == "lfm2":
        n_swa = keys.count(_WINDOW, 0, most=UINT32_MAX)
        slides = tuple(n_swa > 0 and il < n_layer and not recurrent[il] for il in range(n_layer_all))
        return SlidingWindow(WindowKind.STANDARD if n_swa else WindowKind.NONE, n_swa, slides)
    rule = _rule(keys, n_layer)
    n_swa = 0 if rule is None else _width(keys, rule)
    if rule is None or n_swa is None:
        return SlidingWindow(WindowKind.NONE, 0, (False,) * n_layer_all)
    layers = _pattern(keys, rule, n_layer, n_layer_all)
    if not any(layers) and keys.architecture not in _ONLY_MASKS:
        raise FitUnknown("its header gives a sliding window but no layer where it slides")
    return SlidingWindow(rule.kind, n_swa, layers)


def _rule(keys: ShapeKeys, n_layer: int) -> _Rule | None:
    match keys.architecture:
        case "llama4":
            return None if keys.count(_WINDOW, 1, most=UINT32_MAX) == 0 else _LLAMA4
        case "exaone4":
            return _EXAONE4 if n_layer == 64 else None
        case "dflash":
            return _DFLASH
        case architecture:
            return _RULES.get(architecture)


def _is_ring(keys: ShapeKeys) -> bool:
    """Whether a dflash drafter keeps a ring of one key a token (dflash.cpp)."""
    return keys.architecture == "dflash" and keys.count("hyper_connection.count", 0) > 0


def _width(keys: ShapeKeys, rule: _Rule) -> int | None:
    """Return the window in tokens, None where there is none."""
    if rule.needed is _Needed.ALWAYS:
        return keys.count(_WINDOW, most=UINT32_MAX)
    said = keys.count(_WINDOW, 0, most=UINT32_MAX)
    if rule.needed is _Needed.IF_SET:
        return (rule.n_swa or said) if said else None
    if rule.kind is WindowKind.CHUNKED or not keys.has(_WINDOW):
        return rule.n_swa
    return said


def _pattern(keys: ShapeKeys, rule: _Rule, n_layer: int, n_layer_all: int) -> tuple[bool, ...]:
    """Return where it slides (llama-hparams.cpp, set_swa_pattern; llama-model.cpp, load_swa_pattern)."""
    if rule.period is None or keys.is_array(_PATTERN):
        return tuple(value != 0 for value in keys.array(_PATTERN, n_layer_all))
    period = keys.count(_PATTERN, rule.period, most=MOST)
    if period == 0:
        slides = [True] * n_layer
    elif rule.dense_first:
        slides = [il % period != 0 for il in range(n_layer)]
    else:
        slides = [il % period < period - 1 for il in range(n_layer)]
    return (*slides, *[False] * (n_layer_all - n_layer))
