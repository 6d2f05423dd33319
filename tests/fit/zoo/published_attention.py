"""Layers of published models that attend."""

from .published_part import Numbers, Shapes, attention, dense, moe, tied


def llama(numbers: Numbers, il: int) -> Shapes:
    """Layers of llama: dense, or a mixture of experts (mixtral)."""
    return attention(numbers, il) | (moe(numbers) if numbers.get("expert_count") else dense(numbers))


def qwen3(numbers: Numbers, il: int) -> Shapes:
    """Layers of qwen3 and qwen3moe."""
    feed_forward = moe(numbers) if numbers.get("expert_count") else dense(numbers)
    return attention(numbers, il, normed=True) | feed_forward


def gpt_oss(numbers: Numbers, il: int) -> Shapes:
    """Layers of gpt-oss: biases, attention sinks."""
    n_embd, n_expert, n_ff = numbers.n_embd, numbers.get("expert_count"), numbers.get("expert_feed_forward_length")
    shapes = attention(numbers, il) | moe(numbers)
    del shapes["ffn_norm.weight"]
    biases: Shapes = {
        name.replace("weight", "bias"): (shape[1],)
        for name, shape in shapes.items()
        if len(shape) == 2 and "attn" in name
    }
    return (
        shapes
        | biases
        | {
            "post_attention_norm.weight": (n_embd,),
            "attn_sinks.weight": (numbers.n_head,),
            "ffn_gate_inp.bias": (n_expert,),
            "ffn_gate_exps.bias": (n_ff, n_expert),
            "ffn_up_exps.bias": (n_ff, n_expert),
            "ffn_down_exps.bias": (n_embd, n_expert),
        }
    )


def gemma3(numbers: Numbers, il: int) -> Shapes:
    """Layers of gemma3: norms after each part too."""
    norms: Shapes = {"post_attention_norm.weight": (numbers.n_embd,), "post_ffw_norm.weight": (numbers.n_embd,)}
    return attention(numbers, il, normed=True) | dense(numbers) | norms


def gemma3n(numbers: Numbers, il: int) -> Shapes:
    """Layers of gemma3n: four streams, an embedding for each layer."""
    n_embd, width = numbers.n_embd, 256
    return gemma3(numbers, il) | {
        "inp_gate.weight": (n_embd, width),
        "proj.weight": (width, n_embd),
        "post_norm.weight": (n_embd,),
        "altup_correct_coef.weight": (4, 4),
        "altup_correct_scale.weight": (n_embd,),
        "altup_predict_coef.weight": (4, 16),
        "altup_router.weight": (n_embd, 4),
        "altup_router_norm.weight": (n_embd,),
        "laurel_l.weight": (n_embd, 64),
        "laurel_r.weight": (64, n_embd),
        "laurel_post_norm.weight": (n_embd,),
    }


def gemma3n_ends(numbers: Numbers) -> Shapes:
    """Layers of gemma3n: projections between streams, and the embeddings of all layers."""
    n_embd, width = numbers.n_embd, 256 * numbers.n_layer
    return tied(numbers) | {
        "altup_proj.weight": (n_embd, n_embd, 3),
        "altup_unembd_proj.weight": (n_embd, n_embd, 3),
        "per_layer_token_embd.weight": (width, numbers.n_vocab),
        "per_layer_model_proj.weight": (n_embd, width),
        "per_layer_proj_norm.weight": (256,),
    }


def deepseek2(numbers: Numbers, il: int) -> Shapes:
    """Layers of deepseek2: latent attention."""
    n_embd, rank, q_rank = numbers.n_embd, numbers.get("attention.kv_lora_rank"), numbers.get("attention.q_lora_rank")
    rotated, n_head = numbers.get("rope.dimension_count"), numbers.n_head
    key, value = numbers.get("attention.key_length_mla"), numbers.get("attention.value_length_mla")
    query: Shapes = {"attn_q.weight": (n_embd, n_head * key)}
    if q_rank:
        query = {
            "attn_q_a.weight": (n_embd, q_rank),
            "attn_q_a_norm.weight": (q_rank,),
            "attn_q_b.weight": (q_rank, n_head * key),
        }
    n_shared = numbers.get("expert_feed_forward_length") * numbers.get("expert_shared_count")
    feed_forward = dense(numbers) if il < numbers.get("leading_dense_block_count") else moe(numbers, n_shared)
    return (
        query
        | feed_forward
        | {
            "attn_norm.weight": (n_embd,),
            "attn_kv_a_norm.weight": (rank,),
            "attn_kv_a_mqa.weight": (n_embd, rank + rotated),
            "attn_k_b.weight": (key - rotated, rank, n_head),
            "attn_v_b.weight": (rank, value, n_head),
            "attn_output.weight": (n_head * value, n_embd),
        }
    )


def glm4moe(numbers: Numbers, il: int) -> Shapes:
    """Layers of glm4moe, with its layer for further tokens."""
    n_embd, n_expert = numbers.n_embd, numbers.get("expert_count")
    shapes = attention(numbers, il) | {"post_attention_norm.weight": (n_embd,)}
    if il < numbers.get("leading_dense_block_count"):
        shapes |= dense(numbers)
    else:
        shapes |= moe(numbers, numbers.get("expert_feed_forward_length")) | {"exp_probs_b.bias": (n_expert,)}
    del shapes["ffn_norm.weight"]
    if il < numbers.n_layer - numbers.get("nextn_predict_layers"):
        return shapes
    return shapes | {
        "nextn.eh_proj.weight": (2 * n_embd, n_embd),
        "nextn.enorm.weight": (n_embd,),
        "nextn.hnorm.weight": (n_embd,),
        "nextn.embed_tokens.weight": (n_embd, numbers.n_vocab),
        "nextn.shared_head_head.weight": (n_embd, numbers.n_vocab),
        "nextn.shared_head_norm.weight": (n_embd,),
    }


def phi3(numbers: Numbers, il: int) -> Shapes:
    """Layers of phi3: fused."""
    n_embd, n_ff = numbers.n_embd, numbers.n_ff
    width_kv = numbers.head * numbers.get("attention.head_count_kv", il=il)
    return {
        "attn_norm.weight": (n_embd,),
        "attn_qkv.weight": (n_embd, n_embd + 2 * width_kv),
        "attn_output.weight": (n_embd, n_embd),
        "ffn_norm.weight": (n_embd,),
        "ffn_up.weight": (n_embd, 2 * n_ff),
        "ffn_down.weight": (n_ff, n_embd),
    }
