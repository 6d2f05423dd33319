"""Heads: how many of which width each layer has, and latent attention (MLA)."""

from dataclasses import dataclass

from quern.fit.errors import FitUnknown

from .architecture import names
from .shape_keys import MOST_LAYERS, ShapeKeys

_LATENT = "attention.kv_lora_rank"
# Whose old files keep every head's keys and values, and who is never without (src/models/*.cpp).
_LATENT_OPTIONAL = frozenset({"deepseek2", "mistral4"})
_LATENT_ALWAYS = names("bailingmoe3 deepseek32 dots3note glm-dsa glm5-next hy_v4 kimi-k3 kimi-linear")
# Rank of the latent as the width of V: only a check of KV types sees it (kimi-k3.cpp, glm5-next.cpp).
_VALUE_IS_LATENT = frozenset({"kimi-k3", "glm5-next"})
_OWN_WIDTHS_IN_SWA = frozenset({"gemma4", "gemma4-assistant"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentAttention:
    """Multi-head latent attention: one compressed row a token is kept, from which keys and values are made.

    `key_length` and `value_length` are the widths of one decompressed head (`attention.key_length_mla`,
    `value_length_mla`), `kv_rank` and `q_rank` those of the latents (`attention.kv_lora_rank`, `q_lora_rank`; 0 for a
    query that is not compressed). The `_swa` ones are those of layers with a sliding window (dots3note).
    """

    key_length: int
    value_length: int
    kv_rank: int
    q_rank: int
    key_length_swa: int = 0
    value_length_swa: int = 0
    kv_rank_swa: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadShape:
    """Heads of all layers, the nextn ones too (llama-model.cpp, load_hparams).

    `n_head` and `n_head_kv` have one entry a layer; the widths are those of one head, `_swa` in layers with a sliding
    window. `router_layer` is an extra layer of one head that remembers which adapter is on (graniteswitch), else None.
    """

    n_head: tuple[int, ...]
    n_head_kv: tuple[int, ...]
    key_length: int
    value_length: int
    key_length_swa: int
    value_length_swa: int
    router_layer: int | None = None

    @property
    def n_layer(self) -> int:
        """How many layers there are."""
        return len(self.n_head)


def read_heads(keys: ShapeKeys, n_embd: int, block_count: int) -> HeadShape:
    """Return the heads of a model of `block_count` blocks, of which some architectures make more layers.

    Raises FitUnknown.
    """
    n_head = keys.per_layer("attention.head_count", block_count, [0] * block_count)
    n_head_kv = keys.per_layer("attention.head_count_kv", block_count, n_head)
    has_widths = n_head[0] > 0 or keys.architecture == "plamo2"
    default = n_embd // n_head[0] if n_head[0] else 0
    key_length = keys.count("attention.key_length", default) if has_widths else 0
    value_length = keys.count("attention.value_length", default) if has_widths else 0
    own = None if keys.architecture in _OWN_WIDTHS_IN_SWA else (key_length, value_length)
    key_length_swa = keys.count("attention.key_length_swa", own[0] if own else None)
    value_length_swa = keys.count("attention.value_length_swa", own[1] if own else None)
    if keys.architecture in _VALUE_IS_LATENT:
        value_length = keys.count(_LATENT)
    router_layer = None
    if keys.architecture == "graniteswitch":
        router_layer = len(n_head)
        n_head, n_head_kv = [*n_head, 1], [*n_head_kv, 1]
    loops = _loops(keys, len(n_head))
    return HeadShape(
        n_head=tuple(n_head * loops),
        n_head_kv=tuple(n_head_kv * loops),
        key_length=key_length,
        value_length=value_length,
        key_length_swa=key_length_swa,
        value_length_swa=value_length_swa,
        router_layer=router_layer,
    )


def read_latent(keys: ShapeKeys) -> LatentAttention | None:
    """Return the latent attention, None where the heads' own keys and values are kept. Raises FitUnknown."""
    if keys.architecture not in _LATENT_OPTIONAL | _LATENT_ALWAYS:
        return None
    default = 0 if keys.architecture in _LATENT_OPTIONAL else None
    key_length = keys.count("attention.key_length_mla", default)
    value_length = keys.count("attention.value_length_mla", default)
    if not (key_length and value_length):
        if keys.architecture in _LATENT_ALWAYS:
            raise FitUnknown("its header says 0 for the widths of latent attention")
        return None
    in_swa = None if keys.architecture == "dots3note" else 0
    return LatentAttention(
        key_length=key_length,
        value_length=value_length,
        kv_rank=keys.count(_LATENT),
        q_rank=keys.count("attention.q_lora_rank", 0),
        key_length_swa=keys.count("attention.key_length_mla_swa", in_swa),
        value_length_swa=keys.count("attention.value_length_mla_swa", in_swa),
        kv_rank_swa=keys.count("attention.kv_lora_rank_swa", in_swa),
    )


def _loops(keys: ShapeKeys, n_layer: int) -> int:
    """How often the blocks are run one after the other, each time with a cache of their own (nanbeige.cpp)."""
    if keys.architecture != "nanbeige":
        return 1
    loops = keys.count("num_loops", 1)
    if not 1 <= loops <= MOST_LAYERS // n_layer:
        raise FitUnknown(f'its header says {loops:,} for "nanbeige.num_loops"')
    return loops
