"""What one layer caches of each token it has seen, and how many tokens the cache has room for."""

from dataclasses import dataclass
from enum import Enum


class Extent(Enum):
    """For how many tokens there is room: the whole context, the sliding window, or one row for every 4 or 128."""

    CONTEXT = "context"
    WINDOW = "window"
    EVERY_4 = "every_4"
    EVERY_128 = "every_128"


@dataclass(frozen=True, slots=True)
class Cache:
    """One row a token of `k_width` elements of the K type and `v_width` of the V type (0: none is kept).

    Without flash attention V lies transposed and every layer's row is as wide as the widest: `v_width_transposed`
    (llama-kv-cache.cpp, TAG_V_CACHE_VARIABLE).
    """

    k_width: int
    v_width: int
    v_width_transposed: int
    extent: Extent
