"""Sparse attention: a small second cache that says which tokens a layer looks at."""

from dataclasses import dataclass

from quern.fit.errors import FitUnknown

from .shape_keys import ShapeKeys

_TYPES = "attention.indexer.types"
_FROM_CTX_TRAIN = 1_048_576  # glm-dsa.cpp: from GLM 5.2 on, most layers share the choice of an earlier one
_INDEXED = frozenset(
    {"deepseek32", "deepseek4", "dots3note", "glm-dsa", "glm5-next", "hy_v4", "minimax-m3", "qwen4exp"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """`head_count` small heads of `key_length` pick `top_k` tokens; `is_own` says which layers have one of their own.

    From `attention.indexer.*`. `kpool` tokens are pooled before they are judged, 0 for none.
    """

    head_count: int
    key_length: int
    top_k: int
    is_own: tuple[bool, ...]
    kpool: int = 0


def read_indexer(keys: ShapeKeys, n_ctx_train: int, n_layer: int, n_layer_all: int) -> Indexer | None:
    """Return the indexer, None for dense attention. Raises FitUnknown."""
    architecture = keys.architecture
    if architecture not in _INDEXED:
        return None
    default = 0 if architecture == "hy_v4" else None
    top_k = keys.count("attention.indexer.top_k", default)
    if architecture == "hy_v4" and top_k == 0:
        return None
    is_own = _own(keys, n_ctx_train, n_layer)
    if architecture == "hy_v4" and not is_own[0]:
        raise FitUnknown("the first layer of its header shares an indexer that no layer has")
    return Indexer(
        head_count=keys.count("attention.indexer.head_count", default),
        key_length=keys.positive("attention.indexer.key_length"),
        top_k=top_k,
        is_own=(*is_own, *[False] * (n_layer_all - n_layer)),
        kpool=keys.positive("attention.indexer.kpool") if architecture == "glm5-next" else 0,
    )


def _own(keys: ShapeKeys, n_ctx_train: int, n_layer: int) -> list[bool]:
    match keys.architecture:
        case "dots3note":
            return [value != 0 for value in keys.array(_TYPES, n_layer)]
        case "hy_v4":
            return [value != 0 for value in keys.per_layer(_TYPES, n_layer, [0] * n_layer)]
        case "glm5-next":
            return [value != 0 for value in keys.per_layer(_TYPES, n_layer, [1] * n_layer)]
        case "glm-dsa":
            default = [1] * n_layer if n_ctx_train < _FROM_CTX_TRAIN else _shared_by_four(n_layer)
            return [value != 0 for value in keys.per_layer(_TYPES, n_layer, default)]
        case _:
            return [True] * n_layer


def _shared_by_four(n_layer: int) -> list[int]:
    """GLM 5.2: the first two layers and then every fourth of the first 78 (glm-dsa.cpp, its default types)."""
    return [int(il < 2 or (il < 78 and il % 4 == 2)) for il in range(n_layer)]
