"""A block as one file has it: which of its optional parts are there is said by the names of the tensors."""

from dataclasses import replace
from functools import lru_cache

from .block import Block, Dense, Gate, HeadNorm, Mixture, Residual, Shared

Parts = frozenset[str]


@lru_cache(maxsize=64)
def filed(block: Block, parts: Parts) -> Block:
    """Return `block` with what a file with tensors named `parts` has; as it is for a file without tensors."""
    if not parts:
        return block
    return replace(
        block,
        is_fused="attn_qkv.weight" in parts,
        head_norm=block.head_norm if "attn_q_norm.weight" in parts else HeadNorm.NONE,
        gate=block.gate if "attn_gate.weight" in parts else Gate.NONE,
        residual=_residual(block.residual, parts),
        dense=_dense(block.dense, parts),
        mixture=None if block.mixture is None else _mixture(block.mixture, parts),
        shared=_shared(block.shared, parts),
        embeds_positions=block.embeds_positions and "position_embd.weight" in parts,
    )


def _mixture(mixture: Mixture, parts: Parts) -> Mixture:
    return replace(
        mixture,
        is_biased=mixture.is_biased and "exp_probs_b.bias" in parts,
        is_merged="ffn_gate_up_exps.weight" in parts,
        is_scaled=mixture.is_scaled and "ffn_down_exps.scale" in parts,
    )


def _residual(residual: Residual, parts: Parts) -> Residual:
    if residual is Residual.TWO_NORMS and "attn_norm_2.weight" not in parts:
        return Residual.PARALLEL
    return residual


def _dense(dense: Dense, parts: Parts) -> Dense:
    is_bare = "ffn_up.weight" in parts and "ffn_gate.weight" not in parts
    return Dense.PLAIN if dense is Dense.GATED and is_bare else dense


def _shared(shared: Shared, parts: Parts) -> Shared:
    needed = "ffn_up.weight" if shared is Shared.DENSE else "ffn_up_shexp.weight"
    return shared if needed in parts else Shared.NONE
