"""Layers of published models that keep a state."""

from .published_part import Numbers, Shapes, attention, dense, ends, moe


def qwen3next(numbers: Numbers, il: int) -> Shapes:
    """Layers of qwen3next: gated delta nets, every fourth layer gated attention."""
    n_embd, state = numbers.n_embd, numbers.get("ssm.state_size")
    keys, values = state * numbers.get("ssm.group_count"), state * numbers.get("ssm.time_step_rank")
    n_shared, n_heads = numbers.get("expert_shared_feed_forward_length"), numbers.get("ssm.time_step_rank")
    shapes = moe(numbers, n_shared) | {"post_attention_norm.weight": (n_embd,), "ffn_gate_inp_shexp.weight": (n_embd,)}
    del shapes["ffn_norm.weight"]
    if il % 4 == 3:
        gated = {"attn_q.weight": (n_embd, 2 * numbers.head * numbers.n_head)}
        return shapes | attention(numbers, il, normed=True) | gated
    return shapes | {
        "attn_norm.weight": (n_embd,),
        "attn_qkv.weight": (n_embd, 2 * keys + values),
        "attn_gate.weight": (n_embd, values),
        "ssm_conv1d.weight": (4, 2 * keys + values),
        "ssm_dt.bias": (n_heads,),
        "ssm_a": (n_heads,),
        "ssm_ba.weight": (n_embd, 2 * n_heads),
        "ssm_norm.weight": (state,),
        "ssm_out.weight": (values, n_embd),
    }


def mamba2(numbers: Numbers, _il: int) -> Shapes:
    """Layers of mamba2."""
    n_embd, inner, heads = numbers.n_embd, numbers.get("ssm.inner_size"), numbers.get("ssm.time_step_rank")
    n_group = numbers.get("ssm.group_count")
    convolved = inner + 2 * n_group * numbers.get("ssm.state_size")
    return {
        "attn_norm.weight": (n_embd,),
        "ssm_in.weight": (n_embd, inner + convolved + heads),
        "ssm_conv1d.weight": (4, convolved),
        "ssm_conv1d.bias": (convolved,),
        "ssm_dt.bias": (heads,),
        "ssm_a": (1, heads),
        "ssm_d": (1, heads),
        "ssm_norm.weight": (inner // n_group, n_group),
        "ssm_out.weight": (inner, n_embd),
    }


def falcon_h1(numbers: Numbers, il: int) -> Shapes:
    """Layers of falcon-h1: both in each layer."""
    shapes = mamba2(numbers, il) | attention(numbers, il) | dense(numbers)
    shapes["ffn_norm"] = shapes.pop("ffn_norm.weight")
    del shapes["ssm_norm.weight"]
    return shapes


def granitehybrid(numbers: Numbers, il: int) -> Shapes:
    """Layers of granitehybrid: mamba2 or attention, and experts."""
    mixer = attention(numbers, il) if numbers.get("attention.head_count_kv", il=il) else mamba2(numbers, il)
    return mixer | moe(numbers, numbers.get("expert_shared_feed_forward_length"))


def lfm2(numbers: Numbers, il: int) -> Shapes:
    """Layers of lfm2: a short convolution or attention."""
    n_embd = numbers.n_embd
    if numbers.get("attention.head_count_kv", il=il):
        return attention(numbers, il, normed=True) | dense(numbers)
    return dense(numbers) | {
        "attn_norm.weight": (n_embd,),
        "shortconv.conv.weight": (numbers.get("shortconv.l_cache"), n_embd),
        "shortconv.in_proj.weight": (n_embd, 3 * n_embd),
        "shortconv.out_proj.weight": (n_embd, n_embd),
    }


def rwkv7(numbers: Numbers, il: int) -> Shapes:
    """Layers of rwkv7."""
    n_embd, n_ff = numbers.n_embd, numbers.n_ff
    decay, rate = numbers.get("attention.decay_lora_rank"), numbers.get("attention.iclr_lora_rank")
    mix, gate = numbers.get("attention.value_residual_mix_lora_rank"), numbers.get("attention.gate_lora_rank")
    mix = mix if il else rate
    shapes: Shapes = {
        "time_mix_w1.weight": (n_embd, decay),
        "time_mix_w2.weight": (decay, n_embd),
        "time_mix_a1.weight": (n_embd, rate),
        "time_mix_a2.weight": (rate, n_embd),
        "time_mix_v1.weight": (n_embd, mix),
        "time_mix_v2.weight": (mix, n_embd),
        "time_mix_g1.weight": (n_embd, gate),
        "time_mix_g2.weight": (gate, n_embd),
        "time_mix_lerp_fused.weight": (n_embd, 1, 1, 6),
        "channel_mix_lerp_k.weight": (n_embd, 1, 1),
        "channel_mix_key.weight": (n_embd, n_ff),
        "channel_mix_value.weight": (n_ff, n_embd),
    }
    for name in ("attn_norm", "attn_norm_2", "time_mix_ln"):
        shapes |= {f"{name}.weight": (n_embd,), f"{name}.bias": (n_embd,)}
    for name in ("w0", "a0", "v0", "k_k", "k_a", "r_k"):
        shapes[f"time_mix_{name}.weight"] = (n_embd,)
    for name in ("key", "value", "receptance", "output"):
        shapes[f"time_mix_{name}.weight"] = (n_embd, n_embd)
    return shapes


def rwkv7_ends(numbers: Numbers) -> Shapes:
    """Layers of rwkv7: a norm of the embeddings, biases."""
    n_embd = numbers.n_embd
    norms: Shapes = {"token_embd_norm.weight": (n_embd,), "token_embd_norm.bias": (n_embd,)}
    return ends(numbers) | norms | {"output_norm.bias": (n_embd,)}
