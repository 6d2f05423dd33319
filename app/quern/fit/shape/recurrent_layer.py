"""Which layers are recurrent, and how large the state of one sequence is in each."""

from collections.abc import Sequence
from dataclasses import dataclass

from quern.fit.errors import FitUnknown

from .architecture import RECURRENT, names
from .attention_shape import HeadShape
from .shape_keys import UINT32_MAX, ShapeKeys

# Layers without a head for keys and values are the recurrent ones (load_arch_hparams in src/models/*.cpp).
_BY_HEADS = names("jamba granitehybrid plamo2 lfm2 lfm2moe kimi-linear kimi-k3 bailingmoe3 glm5-next")
_NEMOTRON = frozenset({"nemotron_h", "nemotron_h_moe"})
# All but every n-th layer is recurrent, unless the header lists them.
_INTERVALS = {"qwen3next": 4, "qwen35": 4, "qwen35moe": 4, "qwen4exp": 4, "minimax-01": 8}
_SSM = names(
    "falcon-h1 granitehybrid jamba mamba mamba2 nemotron_h nemotron_h_moe plamo2 qwen3next qwen35 qwen35moe qwen4exp"
)
_NO_GROUPS = frozenset({"jamba", "mamba"})
_DELTA = frozenset({"kimi-linear", "kimi-k3", "bailingmoe3", "glm5-next"})
_WKV = frozenset({"rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentShape:
    """Sizes of the recurrent part of a model; what an architecture has not is 0.

    `n_state_r` and `n_state_s` are the F32 elements that one recurrent layer keeps of each sequence (llama-hparams.cpp,
    n_embd_r and n_embd_s): the last inputs of the convolution (or token shift), and the state itself. `n_state_ple` are
    those of layers with an n-gram embedding, `ple_layers` (qwen4exp). The rest are the header's `ssm.*`,
    `wkv.head_size`, `token_shift_count`, `shortconv.l_cache` and `kda.head_dim`; `linear_head_dim` is the width of a
    head of linear attention (minimax-01).
    """

    n_state_r: int = 0
    n_state_s: int = 0
    n_state_ple: int = 0
    ple_layers: frozenset[int] = frozenset()
    d_conv: int = 0
    d_inner: int = 0
    d_state: int = 0
    dt_rank: int = 0
    n_group: int = 0
    wkv_head_size: int = 0
    token_shift_count: int = 0
    shortconv_l_cache: int = 0
    kda_head_dim: int = 0
    linear_head_dim: int = 0


def recurrent_layers(keys: ShapeKeys, heads: HeadShape, n_ff: Sequence[int], n_layer: int) -> tuple[bool, ...]:
    """Return for each layer whether it keeps a state; of the `n_layer` layers that are run and the nextn ones behind.

    Raises FitUnknown.
    """
    n_layer_all, architecture = heads.n_layer, keys.architecture
    if architecture in RECURRENT or architecture == "falcon-h1":
        return (True,) * n_layer_all
    if architecture in _INTERVALS:
        return _by_interval(keys, n_layer, n_layer_all)
    without = [heads.n_head_kv[il] == 0 for il in range(n_layer_all)]
    if architecture in _NEMOTRON:
        return tuple(without[il] and n_ff[il] == 0 and il < n_layer for il in range(n_layer_all))
    if architecture in _BY_HEADS:
        end = n_layer_all if architecture == "glm5-next" else n_layer
        return tuple(without[il] and il < end for il in range(n_layer_all))
    return (False,) * n_layer_all


def _by_interval(keys: ShapeKeys, n_layer: int, n_layer_all: int) -> tuple[bool, ...]:
    listed = "attention.recurrent_layers"
    if keys.has(listed):
        return tuple(value != 0 for value in keys.per_layer(listed, n_layer_all))
    interval = keys.count("full_attention_interval", _INTERVALS[keys.architecture])
    if interval == 0:
        raise FitUnknown(f'its header says 0 for "{keys.architecture}.full_attention_interval"')
    return tuple(il < n_layer and (il + 1) % interval != 0 for il in range(n_layer_all))


def read_recurrent(keys: ShapeKeys, heads: HeadShape, n_embd: int) -> RecurrentShape:
    """Return the sizes of the recurrent part, all 0 where there is none. Raises FitUnknown."""
    shape = _sizes(keys, heads, n_embd)
    if max(shape.n_state_r, shape.n_state_s, shape.n_state_ple) > UINT32_MAX:
        raise FitUnknown("its header gives a recurrent state of more than 4 thousand million numbers")
    return shape


def _sizes(keys: ShapeKeys, heads: HeadShape, n_embd: int) -> RecurrentShape:
    architecture = keys.architecture
    if architecture in _WKV:
        head_size, shifts = keys.positive("wkv.head_size"), keys.count("token_shift_count", 2)
        return RecurrentShape(
            n_state_r=shifts * n_embd,
            n_state_s=head_size * n_embd,
            wkv_head_size=head_size,
            token_shift_count=shifts,
        )
    if architecture in {"lfm2", "lfm2moe"}:
        l_cache = keys.positive("shortconv.l_cache")
        return RecurrentShape(n_state_r=n_embd * (l_cache - 1), shortconv_l_cache=l_cache)
    if architecture in _DELTA:
        return _delta(keys, heads.n_head[0])
    if architecture == "minimax-01":
        width = heads.key_length
        return RecurrentShape(n_state_s=width * width * heads.n_head[0], linear_head_dim=width)
    return _ssm(keys, n_embd) if architecture in _SSM else RecurrentShape()


def _delta(keys: ShapeKeys, n_head: int) -> RecurrentShape:
    """Kimi's delta attention: convolutions of Q, K and V, and one square matrix a head."""
    d_conv, width = keys.count("ssm.conv_kernel"), keys.positive("kda.head_dim")
    n_kept = d_conv - 1 if d_conv else 3
    return RecurrentShape(
        n_state_r=3 * n_kept * n_head * width,
        n_state_s=width * width * n_head,
        d_conv=d_conv,
        kda_head_dim=width,
    )


def _ssm(keys: ShapeKeys, n_embd: int) -> RecurrentShape:
    d_conv, d_inner, d_state = (keys.count(f"ssm.{name}") for name in ("conv_kernel", "inner_size", "state_size"))
    n_group = 0 if keys.architecture in _NO_GROUPS else keys.count("ssm.group_count")
    ple_layers, n_state_ple = _ngram(keys, n_embd)
    return RecurrentShape(
        n_state_r=max(0, d_conv - 1) * (d_inner + 2 * n_group * d_state),
        n_state_s=d_state * d_inner,
        n_state_ple=n_state_ple,
        ple_layers=ple_layers,
        d_conv=d_conv,
        d_inner=d_inner,
        d_state=d_state,
        dt_rank=keys.count("ssm.time_step_rank"),
        n_group=n_group,
    )


def _ngram(keys: ShapeKeys, n_embd: int) -> tuple[frozenset[int], int]:
    """Return the layer with an n-gram embedding and how much of it is kept (llama-hparams.cpp, ple_conv_state)."""
    if keys.architecture != "qwen4exp" or not (n_listed := keys.length("ple.layers")):
        return frozenset(), 0
    if n_listed != 1:
        raise FitUnknown("its header lists more than one layer with an n-gram embedding")
    size, kernel = keys.positive("ple.ngram_size"), keys.positive("ple.conv_kernel")
    n_streams = keys.count("hyper_connection.count")
    return frozenset(keys.array("ple.layers", 1)), (kernel - 1) * size * n_streams * n_embd
