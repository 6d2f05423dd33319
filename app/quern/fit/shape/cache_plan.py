"""Which caches each layer gets (llama.cpp: llama-model.cpp, create_memory, and the constructors of its caches)."""

from collections.abc import Sequence
from dataclasses import dataclass

from quern.fit.errors import FitUnknown

from .architecture import HYBRID, MEMORYLESS, RECURRENT
from .attention_shape import HeadShape, LatentAttention
from .cache import Cache, Extent
from .indexer import Indexer
from .recurrent_layer import RecurrentShape
from .shape_keys import MOST, ShapeKeys
from .sliding_window import SlidingWindow

_NEMOTRON = frozenset({"nemotron_h", "nemotron_h_moe"})
_ONLY_TRUNK = frozenset({"qwen3next", "qwen35", "qwen35moe", "qwen4exp", "minimax-01", "glm5-next"})
_NEXTN_TOO = frozenset({"minimax-m3", "hy_v4", "deepseek4"})
_SPARSE = frozenset({"deepseek32", "glm-dsa", "dots3note", "hy_v4", "minimax-m3", "qwen4exp", "glm5-next"})
CSA_RATIO, HCA_RATIO = 4, 128  # llama-kv-cache-dsv4.cpp, DSV4_CSA_RATIO and DSV4_HCA_RATIO


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerPlan:
    """What the plan is made of: the parts of a model's shape that decide its caches, for `n_layer` layers that run.

    `n_layer_kv` layers from the first on have caches of their own, all where None; `compress_ratios` are deepseek4's.
    """

    n_layer: int
    heads: HeadShape
    window: SlidingWindow
    recurrent: Sequence[bool]
    state: RecurrentShape
    latent: LatentAttention | None
    indexer: Indexer | None
    n_ff: Sequence[int]
    n_layer_kv: int | None = None
    compress_ratios: Sequence[int] = ()

    @property
    def n_layer_all(self) -> int:
        """Layers with the nextn ones."""
        return self.heads.n_layer

    def key_width(self, il: int) -> int:
        """Elements of one head's key in layer `il`."""
        return self.heads.key_length_swa if self.window.layers[il] else self.heads.key_length

    def value_width(self, il: int) -> int:
        """Elements of one head's value in layer `il`."""
        return self.heads.value_length_swa if self.window.layers[il] else self.heads.value_length


def read_layer_kv(keys: ShapeKeys, n_layer_all: int) -> int | None:
    """Return how many layers from the first on have caches of their own; later ones read those. None for all."""
    if keys.architecture == "gemma3n":
        return 20  # gemma3n.cpp
    if keys.architecture == "gemma4":
        n_shared = keys.count("attention.shared_kv_layers", 0)
        if n_shared > n_layer_all - 2:
            raise FitUnknown(f"its header says that {n_shared:,} of {n_layer_all:,} layers have no cache of their own")
        return n_layer_all - n_shared
    return None


def attends(architecture: str, plan: LayerPlan, il: int) -> bool:
    """Whether layer `il` looks at earlier tokens' keys and values, its own or those of an earlier layer."""
    if plan.heads.n_head_kv[il] == 0 or (plan.recurrent[il] and architecture != "falcon-h1"):
        return False
    return architecture not in _NEMOTRON or plan.n_ff[il] == 0


def plan_caches(keys: ShapeKeys, plan: LayerPlan) -> list[tuple[Cache, ...]]:
    """Return the caches of each layer, the nextn ones too. Raises FitUnknown."""
    architecture = keys.architecture
    # A gemma4 assistant reads the caches of the model it drafts for.
    if architecture in MEMORYLESS | RECURRENT or architecture == "gemma4-assistant":
        return [()] * plan.n_layer_all
    attending = _attending(architecture, plan)
    _check_shared(plan)
    caches = _compressed(plan) if architecture == "deepseek4" else _attention(plan, attending)
    if architecture in _SPARSE and plan.indexer is not None:
        indexed = _indexed(keys, plan)
        caches = [(*caches[il], *indexed[il]) for il in range(plan.n_layer_all)]
    if any(max(cache.k_width, cache.v_width) > MOST for layer in caches for cache in layer):
        raise FitUnknown("its header gives keys or values of more than 16 million numbers a token")
    return caches


def _attending(architecture: str, plan: LayerPlan) -> list[bool]:
    """Which layers have keys and values (the layer filters of create_memory)."""
    everywhere = range(plan.n_layer_all)
    if architecture == "falcon-h1" or architecture in _NEXTN_TOO:
        return [True for _ in everywhere]
    if architecture in _NEMOTRON:
        return [not plan.recurrent[il] and plan.n_ff[il] == 0 for il in everywhere]
    if architecture in _ONLY_TRUNK:
        return [not plan.recurrent[il] and il < plan.n_layer for il in everywhere]
    if architecture in HYBRID:
        return [not plan.recurrent[il] for il in everywhere]
    # The extra layer of graniteswitch is one of the nextn ones by number only, and a drafter may have nothing else.
    is_all = plan.heads.router_layer is not None or plan.n_layer == 0
    end = plan.n_layer_all if is_all else plan.n_layer
    return [il < end and (plan.n_layer_kv is None or il < plan.n_layer_kv) for il in everywhere]


def _check_shared(plan: LayerPlan) -> None:
    """Layers without a cache read that of the last layer before them that has one, of their own kind."""
    owners = plan.n_layer_kv
    if owners is None or owners >= plan.n_layer_all:
        return
    slides = plan.window.layers
    for il in range(owners, plan.n_layer_all):
        if slides[owners - (2 if slides[il] else 1)] != slides[il]:
            raise FitUnknown(f"layer {il} of its header shares a cache that no layer has")


def _attention(plan: LayerPlan, attending: Sequence[bool]) -> list[tuple[Cache, ...]]:
    """Keys and values, or the latent alone."""
    heads, is_latent = plan.heads, plan.latent is not None
    widths_v = [0 if is_latent else plan.value_width(il) * heads.n_head_kv[il] for il in range(plan.n_layer_all)]
    widest = max(widths_v)
    caches: list[tuple[Cache, ...]] = []
    for il in range(plan.n_layer_all):
        extent = Extent.WINDOW if plan.window.layers[il] else Extent.CONTEXT
        cache = Cache(plan.key_width(il) * heads.n_head_kv[il], widths_v[il], widest, extent)
        caches.append((cache,) if attending[il] else ())
    return caches


def _indexed(keys: ShapeKeys, plan: LayerPlan) -> list[tuple[Cache, ...]]:
    """One row of one head; with values only where the keys of attention have them too."""
    indexer = plan.indexer
    assert indexer is not None
    width = indexer.key_length * (3 if indexer.kpool else 1)
    is_hybrid = keys.architecture in HYBRID
    has_values = plan.latent is None and not is_hybrid
    widths_v = [plan.value_width(il) if has_values else 0 for il in range(plan.n_layer_all)]
    first = keys.count("leading_dense_block_count", 0) if keys.architecture == "minimax-m3" else 0
    last = plan.n_layer_all if keys.architecture == "minimax-m3" else plan.n_layer
    caches: list[tuple[Cache, ...]] = []
    for il in range(plan.n_layer_all):
        is_there = first <= il < last and (keys.architecture == "minimax-m3" or indexer.is_own[il])
        is_there = is_there and not (is_hybrid and plan.recurrent[il])
        k_width = plan.heads.key_length_swa if plan.window.layers[il] else width
        caches.append((Cache(k_width, widths_v[il], max(widths_v), Extent.CONTEXT),) if is_there else ())
    return caches


def _compressed(plan: LayerPlan) -> list[tuple[Cache, ...]]:
    """deepseek4: a window of single keys in every layer, and compressed ones (llama-kv-cache-dsv4.cpp)."""
    indexer = plan.indexer
    assert indexer is not None
    caches: list[tuple[Cache, ...]] = []
    for il in range(plan.n_layer_all):
        n_head_kv = plan.heads.n_head_kv[il]
        own = [Cache(plan.key_width(il) * n_head_kv, 0, 0, Extent.WINDOW)]
        if plan.compress_ratios[il] == CSA_RATIO:
            own.append(Cache(plan.key_width(il) * n_head_kv, 0, 0, Extent.EVERY_4))
            own.append(Cache(indexer.key_length, 0, 0, Extent.EVERY_4))
        elif plan.compress_ratios[il] == HCA_RATIO:
            own.append(Cache(plan.key_width(il) * n_head_kv, 0, 0, Extent.EVERY_128))
        caches.append(tuple(own))
    return caches
