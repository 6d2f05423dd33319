"""Random small shapes: the metadata that llama.cpp asks for, with numbers that go together.

Which keys an architecture needs is from its load_arch_hparams and load_arch_tensors (llama.cpp, src/models/*.cpp).
"""

from dataclasses import dataclass
from random import Random

from .metadata_file import Value

Keys = dict[str, Value]


@dataclass(slots=True)
class Sizes:
    """Numbers that many keys are made of."""

    n_layer: int
    n_head: int
    n_head_kv: int
    head_dim: int
    n_embd: int
    n_ff: int
    n_expert: int
    n_used: int
    dice: Random

    @classmethod
    def roll(cls, dice: Random) -> "Sizes":
        """Return random sizes: heads a multiple of 32 wide, an embedding of all heads together."""
        n_head, head_dim = dice.choice((2, 4, 6, 8)), dice.choice((32, 64, 96, 128))
        n_expert = dice.choice((4, 8, 16))
        return cls(
            n_layer=dice.randint(3, 9),
            n_head=n_head,
            n_head_kv=dice.choice([n for n in range(1, n_head + 1) if n_head % n == 0]),
            head_dim=head_dim,
            n_embd=n_head * head_dim,
            n_ff=32 * dice.randint(2, 24),
            n_expert=n_expert,
            n_used=dice.randint(1, n_expert // 2),
            dice=dice,
        )

    def per_layer(self, value: int) -> list[int]:
        """Return `value` for some layers and 0 for others, at least one of each."""
        values = [value, 0, *(self.dice.choice((value, 0)) for _ in range(self.n_layer - 2))]
        self.dice.shuffle(values)
        return values

    def flags(self) -> list[bool]:
        """Return True for some layers and False for others, at least one of each."""
        return [value == 1 for value in self.per_layer(1)]


def basic_keys(sizes: Sizes) -> Keys:
    """Return what nearly every architecture asks for, and what single ones insist on and no other minds."""
    return {
        "vocab_size": 64 * sizes.dice.randint(2, 40),
        "context_length": 131072,
        "embedding_length": sizes.n_embd,
        "block_count": sizes.n_layer,
        "feed_forward_length": sizes.n_ff,
        "attention.head_count": sizes.n_head,
        "attention.head_count_kv": sizes.n_head_kv,
        "attention.layer_norm_epsilon": 1e-5,
        "attention.layer_norm_rms_epsilon": 1e-6,
        "attention.clamp_kqv": 1.0,
        "attention.max_alibi_bias": 8.0,
        "attention.relative_buckets_count": 8,
        "logit_scale": 1.0,
        "residual_scale": 1.0,
        "embedding_scale": 1.0,
        "use_parallel_residual": True,
        "rope.dimension_sections": [sizes.head_dim // 8] * 4,
        "rope.freq_base_swa": 10000.0,
    }


def experts(sizes: Sizes) -> Keys:
    """Return a mixture of experts."""
    return {
        "expert_count": sizes.n_expert,
        "expert_used_count": sizes.n_used,
        "expert_feed_forward_length": 32 * sizes.dice.randint(1, 8),
        "expert_shared_feed_forward_length": 32 * sizes.dice.randint(1, 8),
        "expert_shared_count": 1,
        "expert_gating_func": 2,
        "expert_group_scale": 1.0,
        "experts_per_group": 1,
        "leading_dense_block_count": 1,
        "interleave_moe_layer_step": 2,
        "moe_every_n_layers": 2,
    }


def window(sizes: Sizes) -> Keys:
    """Return a sliding window, sometimes with a period or a list of layers of its own."""
    keys: Keys = {"attention.sliding_window": sizes.dice.choice((32, 128, 512, 1000, 4096))}
    match sizes.dice.randrange(3):
        case 0:
            keys["attention.sliding_window_pattern"] = sizes.dice.randint(2, min(4, sizes.n_layer))
        case 1:
            keys["attention.sliding_window_pattern"] = sizes.flags()
        case _:
            pass
    return keys


def listed_window(sizes: Sizes) -> Keys:
    """Return a sliding window whose layers must be listed, with heads of another width."""
    return {
        "attention.sliding_window": sizes.dice.choice((32, 128, 512, 1000)),
        "attention.sliding_window_pattern": sizes.flags(),
    }


def ssm(sizes: Sizes) -> Keys:
    """Return a state-space model's sizes."""
    return {
        "ssm.conv_kernel": 4,
        "ssm.inner_size": 2 * sizes.n_embd,
        "ssm.state_size": sizes.dice.choice((16, 64, 128)),
        "ssm.time_step_rank": sizes.n_head,
        "ssm.group_count": sizes.dice.choice((1, 2)),
    }


def no_heads_where_recurrent(sizes: Sizes) -> Keys:
    """Return head counts that say by 0 which layers are recurrent."""
    return {"attention.head_count_kv": sizes.per_layer(sizes.n_head_kv)}


def delta_net(sizes: Sizes) -> Keys:
    """Return the sizes of gated delta nets, of which every n-th layer is attention instead."""
    d_state, n_group = sizes.dice.choice((32, 64)), sizes.dice.choice((1, 2))
    n_value_heads = n_group * sizes.dice.choice((1, 2))
    return {
        "ssm.conv_kernel": 4,
        "ssm.inner_size": d_state * n_value_heads,
        "ssm.state_size": d_state,
        "ssm.time_step_rank": n_value_heads,
        "ssm.group_count": n_group,
        "full_attention_interval": sizes.dice.randint(2, 4),
    }


def delta_attention(sizes: Sizes) -> Keys:
    """Return the sizes of Kimi's delta attention."""
    return {
        "ssm.conv_kernel": 4,
        "kda.head_dim": sizes.dice.choice((32, 64, 128)),
        "kda.safe_gate": True,
        "kda.gate_lower_bound": -5.0,
        "attn_res.block_size": 12,
        "activation.situ_beta": 4.0,
        "activation.situ_linear_beta": 25.0,
    }


def latent(sizes: Sizes) -> Keys:
    """Return latent attention: rows of a compressed part and a rotated one."""
    rank, rotated = sizes.dice.choice((128, 256)), 64
    return {
        "attention.head_count_kv": 1,
        "attention.q_lora_rank": 96,
        "attention.kv_lora_rank": rank,
        "attention.key_length": rank + rotated,
        "attention.value_length": rank,
        "attention.key_length_mla": 64 + rotated,
        "attention.value_length_mla": sizes.dice.choice((64, 128)),
        "rope.dimension_count": rotated,
    }


def indexer(sizes: Sizes) -> Keys:
    """Return a sparse attention's indexer, which only some layers have."""
    owners = sizes.per_layer(1)
    owners[0] = 1
    return {
        "attention.indexer.head_count": 8,
        "attention.indexer.key_length": 128,
        "attention.indexer.top_k": 256,
        "attention.indexer.types": owners,
        "attention.indexer.block_size": 4,
        "attention.indexer.local_blocks": 1,
    }


# Return hyper-connections: four streams side by side.
STREAMS: Keys = {
    "hyper_connection.count": 4,
    "hyper_connection.sinkhorn_iterations": 2,
    "hyper_connection.epsilon": 1e-6,
    "hyper_connection.low_rank": 8,
    "hyper_connection.magnitude": 2.0,
}


def wkv(sizes: Sizes) -> Keys:
    """Return RWKV's sizes."""
    return {
        "wkv.head_size": sizes.head_dim,
        "time_mix_extra_dim": 32,
        "time_decay_extra_dim": 64,
        "attention.decay_lora_rank": 32,
        "attention.iclr_lora_rank": 32,
        "attention.value_residual_mix_lora_rank": 32,
        "attention.gate_lora_rank": 64,
    }
