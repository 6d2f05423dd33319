"""Parts of metadata that one architecture alone has."""

from .recipe import Keys, Sizes


def all_heads(sizes: Sizes) -> Keys:
    """As many heads for keys as for queries."""
    return {"attention.head_count_kv": sizes.n_head}


# Heads whose width is not the embedding's share, and values of another width than keys.
OWN_HEAD_WIDTH: Keys = {"attention.key_length": 64, "attention.value_length": 64, "rope.dimension_count": 64}

# Values of another width than keys.
DIFFERENT_VALUES: Keys = {"attention.key_length": 96, "attention.value_length": 64, "rope.dimension_count": 96}

# Other heads where the window slides; multiples of 64, without which quantized keys end llama.cpp.
DIFFERENT_WINDOW_HEADS: Keys = {
    "attention.key_length": 128,
    "attention.value_length": 128,
    "rope.dimension_count": 128,
    "attention.key_length_swa": 64,
    "attention.value_length_swa": 64,
    "rope.dimension_count_swa": 64,
}

# chameleon hides 8,192 entries of its vocabulary; qwen3tts has 3,072 for speech.
BIG_VOCABULARY: Keys = {"vocab_size": 10240}

# apertus: an activation with numbers of its own.
XIELU: Keys = {"xielu.alpha_n": 1.0, "xielu.alpha_p": 1.0, "xielu.beta": 1.0, "xielu.eps": 1e-6}


def short_convolution(sizes: Sizes) -> Keys:
    """lfm2: a short convolution instead of attention."""
    return {"shortconv.l_cache": sizes.dice.choice((3, 4))}


def loops(sizes: Sizes) -> Keys:
    """nanbeige: all blocks again."""
    return {"num_loops": sizes.dice.choice((2, 3))}


def stacks(sizes: Sizes) -> Keys:
    """hrm_text: two stacks, run in cycles."""
    per_stack = sizes.dice.choice((1, 2))
    return {"hrm.layers_per_stack": per_stack, "hrm.h_cycles": 2, "hrm.l_cycles": 2, "block_count": per_stack * 6}


# graniteswitch: adapters that a token turns on.
ADAPTERS: Keys = {
    "adapters.count": 2,
    "adapters.lora_rank": 8,
    "adapters.token_ids_activate": [5, 6],
    "adapters.token_ids_substitute": [7, 8],
}

# plamo2: no groups.
NO_SSM_GROUPS: Keys = {"ssm.group_count": 0}


def nemotron_layers(sizes: Sizes) -> Keys:
    """nemotron_h: each layer is one of state space, attention and feed-forward."""
    kinds = ["ssm", "attention", "ffn", *sizes.dice.choices(("ssm", "attention", "ffn"), k=sizes.n_layer - 3)]
    sizes.dice.shuffle(kinds)
    return {
        "attention.head_count_kv": [sizes.n_head_kv if kind == "attention" else 0 for kind in kinds],
        "feed_forward_length": [sizes.n_ff if kind == "ffn" else 0 for kind in kinds],
    }


def linear_layers(sizes: Sizes) -> Keys:
    """minimax-01: most layers are linear attention, listed or by interval."""
    if sizes.dice.random() < 0.5:
        return {"attention.recurrent_layers": sizes.flags()}
    return {"full_attention_interval": 2}


def compression(sizes: Sizes) -> Keys:
    """deepseek4: layers that keep every token, one row for 4, or one for 128."""
    ratios = [0, 4, 128, *sizes.dice.choices((0, 4, 128), k=sizes.n_layer - 3)]
    return {
        "attention.head_count_kv": 1,
        "attention.q_lora_rank": 64,
        "attention.key_length": 64,
        "attention.value_length": 64,
        "rope.dimension_count": 32,
        "attention.sliding_window": sizes.dice.choice((128, 512)),
        "attention.compress_ratios": ratios,
        "attention.compress_rope_freq_base": 160000.0,
        "attention.output_group_count": 2,
        "attention.output_lora_rank": 32,
        "attention.indexer.head_count": 8,
        "hash_layer_count": 0,
        "swiglu_clamp_exp": 10.0,
        "expert_gating_func": 4,
        "expert_weights_scale": 1.0,
        "expert_weights_norm": True,
    }


def window_latent(sizes: Sizes) -> Keys:
    """dots3note: a latent of another size where the window slides, an indexer where it does not."""
    slides = [False, *sizes.flags()[1:]]
    slides[-1] = True
    return {
        "attention.kv_lora_rank_swa": 64,
        "attention.key_length_swa": 128,
        "attention.value_length_swa": 64,
        "attention.key_length_mla_swa": 128,
        "attention.value_length_mla_swa": 64,
        "attention.sliding_window": sizes.dice.choice((128, 512)),
        "attention.sliding_window_pattern": slides,
        "attention.indexer.types": [int(not here) for here in slides],
    }


# Bounds of the activation.
CLAMPS: Keys = {"swiglu_clamp_exp": 7.0, "expert_weights_scale": 1.0, "expert_weights_norm": True}

# glm5-next: a latent without a rotated part, keys that are pooled before they are judged.
UNROTATED_LATENT: Keys = {
    "attention.key_length": 128,
    "attention.value_length": 128,
    "attention.kv_lora_rank": 128,
    "attention.key_length_mla": 64,
    "rope.dimension_count": 0,
    "attention.indexer.kpool": 4,
}


def ngram_embedding(sizes: Sizes) -> Keys:
    """qwen4exp: one layer with an embedding of the last tokens, and blocks that the indexer judges."""
    return {
        "attention.compress_ratios": [4] * sizes.n_layer,
        "attention.indexer.key_length": sizes.head_dim,
        "ple.layers": [0],
        "ple.ngram_size": 3,
        "ple.heads_per_ngram": 2,
        "ple.conv_kernel": 4,
        "ple.eos_token_id": 0,
        "embedding_length_per_layer_input": sizes.n_embd // 4,
        "ple.layer_multipliers": [1, 3, 5],
        "ple.head_offsets": [0, 128, 256, 384],
        "ple.head_vocab_sizes": [128] * 4,
    }


def indexer_of_groups(sizes: Sizes) -> Keys:
    """minimax-m3: one indexer head for each head of keys."""
    return {"attention.indexer.head_count": sizes.n_head_kv, "rope.dimension_count": 32}


def layer_embedding(sizes: Sizes) -> Keys:
    """gemma4: an embedding for each layer, and the last layers read the caches of earlier ones."""
    n_shared = sizes.n_layer // 3
    slides = sizes.flags()
    slides[-n_shared - 2 : -n_shared] = [True, False]
    return {
        "embedding_length_per_layer_input": 64,
        "attention.sliding_window_pattern": slides,
        "attention.shared_kv_layers": n_shared,
    }


# RWKV made from qwen2: the last token is remembered once.
ONE_SHIFT: Keys = {"token_shift_count": 1}


def speech(sizes: Sizes) -> Keys:
    """wavtokenizer-dec: convolutions before and after."""
    return {
        "features_length": sizes.n_embd,
        "posnet.embedding_length": sizes.n_embd,
        "posnet.block_count": 6,
        "convnext.embedding_length": sizes.n_embd,
        "convnext.block_count": 3,
        "block_count": 6,
        "attention.group_norm_epsilon": 1e-5,
        "attention.group_norm_groups": 8,
    }


# gemma3n: layers from the twentieth on have no caches of their own.
MANY_LAYERS: Keys = {"block_count": 25, "attention.sliding_window_pattern": 5}

# exaone4: the window is there in the model of 64 layers only.
SIXTY_FOUR_LAYERS: Keys = {"block_count": 64, "attention.sliding_window_pattern": 4}

# The last layer predicts further tokens.
EXTRA_LAYER: Keys = {"nextn_predict_layers": 1}


def one_head_where_attending(sizes: Sizes) -> Keys:
    """Latent attention in some layers, none in the recurrent ones."""
    return {"attention.head_count_kv": sizes.per_layer(1)}


def low_rank(sizes: Sizes) -> Keys:
    """plm: keys and values come out of a latent, and are kept in full."""
    return {
        "attention.head_count_kv": sizes.n_head,
        "attention.kv_lora_rank": 64,
        "attention.key_length": 96,
        "attention.value_length": 64,
        "rope.dimension_count": 32,
    }


def low_rank_query(sizes: Sizes) -> Keys:
    """minicpm3: as plm, and queries come out of a latent too."""
    return low_rank(sizes) | {"attention.q_lora_rank": 96}


# RWKV: no heads of attention.
NO_HEADS: Keys = {"attention.head_count": 0, "attention.head_count_kv": 0}


def heads_per_layer(sizes: Sizes) -> Keys:
    """deci: layers without attention, and without a feed-forward part."""
    return {
        "attention.head_count_kv": [sizes.n_head_kv, *sizes.per_layer(sizes.n_head_kv)[1:]],
        "feed_forward_length": sizes.per_layer(sizes.n_ff),
    }


def more_heads_per_layer(sizes: Sizes) -> Keys:
    """openelm: more heads the deeper the layer."""
    counts = sorted(sizes.dice.choice((1, 2, 4)) for _ in range(sizes.n_layer))
    return {
        "attention.head_count": [4 * count for count in counts],
        "attention.head_count_kv": counts,
        "attention.key_length": 64,
        "attention.value_length": 64,
        "rope.dimension_count": 64,
        "feed_forward_length": [32 * (il + 2) for il in range(sizes.n_layer)],
    }


def decompressed(sizes: Sizes) -> Keys:
    """Files from before latent attention was kept as such: keys and values of every head."""
    return {
        "attention.head_count_kv": sizes.n_head,
        "attention.key_length": 128,
        "attention.value_length": 64,
        "attention.key_length_mla": 0,
        "attention.value_length_mla": 0,
    }


# A window and nothing about where.
PLAIN_WINDOW: Keys = {"attention.sliding_window": 500}

# No window, said by 0.
ZERO_WINDOW: Keys = {"attention.sliding_window": 0}

# GLM 5.2: most layers share another's choice, which a header need not say; 11 layers show it.
LONG_CONTEXT: Keys = {
    "context_length": 1_048_576,
    "block_count": 11,
    "attention.indexer.types": [1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1],
}


def listed_recurrent(sizes: Sizes) -> Keys:
    """Recurrent layers by a list."""
    return {"attention.recurrent_layers": sizes.flags()}


# Every layer has an indexer of its own.
OWN_INDEXERS: Keys = {"attention.indexer.types": 1}
