"""What only the computation graph asks of a header: ranks of factored matrices, cycles, and which tensors there are."""

from dataclasses import dataclass, field

from .shape_keys import ShapeKeys


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphDetails:
    """Numbers in elements, 0 where the header says nothing; the keys are the header's, without the architecture.

    `kv_rank` and `q_rank` (`attention.kv_lora_rank`, `attention.q_lora_rank`) also where keys and values are kept in
    full, `n_rot` is `rope.dimension_count`, `has_sections` says that `rope.dimension_sections` splits it among time and
    place, `n_groups_used` is `expert_group_used_count`, `norms_weights` `expert_weights_norm`. RWKV: `mix_rank`,
    `decay_rank`, `rate_rank`, `value_rank` and `gate_rank`. `n_decoder_layers` is t5's `decoder_block_count`,
    `h_cycles` and `l_cycles` hrm_text's, `n_adapters` and `adapter_rank` graniteswitch's,
    `indexer_block` is minimax-m3's `attention.indexer.block_size`.

    `parts` are the names of the tensors without their block ("attn_qkv.weight"), empty for a header without any.
    """

    kv_rank: int = 0
    q_rank: int = 0
    n_rot: int = 0
    has_sections: bool = False
    n_groups_used: int = 0
    norms_weights: bool = False
    mix_rank: int = 0
    decay_rank: int = 0
    rate_rank: int = 0
    value_rank: int = 0
    gate_rank: int = 0
    n_decoder_layers: int = 0
    h_cycles: int = 0
    l_cycles: int = 0
    n_adapters: int = 0
    adapter_rank: int = 0
    indexer_block: int = 0
    parts: frozenset[str] = field(default_factory=frozenset[str])

    def has(self, part: str, *, otherwise: bool) -> bool:
        """Whether there are tensors of the name `part`; `otherwise` for a header without tensors."""
        return part in self.parts if self.parts else otherwise


def read_graph_details(keys: ShapeKeys) -> GraphDetails:
    """Return the details. Raises FitUnknown for values of the wrong type."""
    return GraphDetails(
        kv_rank=keys.count("attention.kv_lora_rank", 0),
        q_rank=keys.count("attention.q_lora_rank", 0),
        n_rot=keys.count("rope.dimension_count", 0),
        has_sections=_has_sections(keys),
        norms_weights=keys.flag("expert_weights_norm", default=False),
        n_groups_used=keys.count("expert_group_used_count", 0),
        mix_rank=keys.count("time_mix_extra_dim", 0),
        decay_rank=keys.count(
            "attention.decay_lora_rank" if keys.architecture in {"rwkv7", "arwkv7"} else "time_decay_extra_dim", 0
        ),
        rate_rank=keys.count("attention.iclr_lora_rank", 0),
        value_rank=keys.count("attention.value_residual_mix_lora_rank", 0),
        gate_rank=keys.count("attention.gate_lora_rank", 0),
        n_decoder_layers=keys.count("decoder_block_count", 0),
        h_cycles=keys.count("hrm.h_cycles", 0),
        l_cycles=keys.count("hrm.l_cycles", 0),
        n_adapters=keys.count("adapters.count", 0),
        adapter_rank=keys.count("adapters.lora_rank", 0),
        indexer_block=keys.count("attention.indexer.block_size", 0),
        parts=frozenset(_without_block(name) for name in keys.tensors),
    )


def _has_sections(keys: ShapeKeys) -> bool:
    """From llama-hparams.cpp, use_mrope."""
    name = "rope.dimension_sections"
    return keys.is_array(name) and all(keys.array(name, 2))


def _without_block(name: str) -> str:
    return name.split(".", 2)[2] if name.startswith("blk.") and name.count(".") > 1 else name
