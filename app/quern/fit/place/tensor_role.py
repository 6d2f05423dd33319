"""What llama.cpp uses a tensor for, by its name: with which layer it goes, and whether it is multiplied.

From LLM_TENSOR_NAMES and LLM_TENSOR_INFOS (src/llama-arch.cpp).
"""

import re
from dataclasses import dataclass
from enum import Enum

from quern.fit.shape.architecture import names

_BLOCK = re.compile(r"(?:(?:enc|dec)\.)?(?:blk|posnet|convnext)\.(\d{1,4})\.(.+)")
# The pattern of --n-cpu-moe (common/arg.cpp and LLM_FFN_EXPS_REGEX in common/common.h), behind the block's number.
_EXPERTS = re.compile(r"ffn_(?:up|down|gate_up|gate)_(?:ch|)exps")

_INPUT = names("token_embd position_embd token_types per_layer_token_embd")
_OUTPUT = names(
    "output output_norm cls cls.output cls.norm dense_2 dense_3 enc.output_norm dec.output_norm output_res_score "
    "output_hc_fn output_hc_base output_hc_scale output_hc_norm output_hc_down output_hc_up altup_proj "
    "altup_unembd_proj nextn.post_projection fc d2t markov_w1 markov_w2 conf_proj selector_predecessor "
    "selector_successor selector_hidden"
)
_EVERY_LAYER = names("rope_freqs rope_factors_long rope_factors_short")
_UNUSED = names("masked_embd_centroids masked_embd_ordering")
_UNUSED_IN_BLOCK = names("cross_attn_rel_b")
_OUTPUT_NORM_MISNAMED = frozenset({"lfm2", "lfm2moe"})  # there "token_embd_norm" is the output's norm
# Weights of two and more dimensions that are looked up, convolved or added, and not multiplied with.
_NOT_MULTIPLIED = names(
    "attn_rel_b ssm_a ssm_conv1d ssm_conv1d_q ssm_conv1d_k ssm_conv1d_v ple_conv1d shortconv.conv ffn_gate_tid2eid "
    "attn_compressor_ape indexer_compressor_ape nextn.embed_tokens time_mix_first time_mix_lerp_fused attn_conv_base "
    "ffn_conv_base dw conv1 conv2 conv1d d2t markov_w1 selector_predecessor "
    "selector_successor"
)


class Home(Enum):
    """INPUT is always the host's; LAYER follows `layer`; OUTPUT follows the output; EVERY_LAYER is copied to each
    device that has layers; UNUSED is left in the file.
    """

    INPUT = "input"
    LAYER = "layer"
    OUTPUT = "output"
    EVERY_LAYER = "every_layer"
    UNUSED = "unused"


class Use(Enum):
    """MULTIPLIED with every token, EXPERTS with the tokens routed to them (and what goes with those), OTHER: looked up,
    added and so on.
    """

    MULTIPLIED = "multiplied"
    EXPERTS = "experts"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class TensorRole:
    """Where a tensor belongs and how it is used; `layer` counts for LAYER only."""

    home: Home
    layer: int
    use: Use


def role_of(name: str, architecture: str) -> TensorRole:
    """Return the role of the tensor `name` in models of `architecture`; a name without a block belongs to layer 0."""
    stem, _, suffix = name.rpartition(".")
    if (match := _BLOCK.fullmatch(stem)) is not None:
        return _block_role(int(match[1]), match[2], suffix)
    if (match := _BLOCK.fullmatch(name)) is not None:  # "blk.3.ssm_a" has no suffix
        return TensorRole(Home.LAYER, int(match[1]), Use.OTHER)
    if stem in _UNUSED:
        return TensorRole(Home.UNUSED, 0, Use.OTHER)
    if stem in _INPUT:
        return TensorRole(Home.INPUT, 0, Use.OTHER)
    if stem in _EVERY_LAYER:
        return TensorRole(Home.EVERY_LAYER, 0, Use.OTHER)
    use = Use.MULTIPLIED if suffix == "weight" and stem not in _NOT_MULTIPLIED else Use.OTHER
    if stem in _OUTPUT or (stem == "token_embd_norm" and architecture in _OUTPUT_NORM_MISNAMED):
        return TensorRole(Home.OUTPUT, 0, use)
    return TensorRole(Home.LAYER, 0, use)


def _block_role(layer: int, stem: str, suffix: str) -> TensorRole:
    if stem in _UNUSED_IN_BLOCK:
        return TensorRole(Home.UNUSED, layer, Use.OTHER)
    if _EXPERTS.match(stem):
        return TensorRole(Home.LAYER, layer, Use.EXPERTS)
    is_multiplied = suffix == "weight" and stem not in _NOT_MULTIPLIED
    return TensorRole(Home.LAYER, layer, Use.MULTIPLIED if is_multiplied else Use.OTHER)
