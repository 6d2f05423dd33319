"""Which parts each architecture's random metadata are made of."""

from collections.abc import Callable

from . import special
from .recipe import (
    STREAMS,
    Keys,
    Sizes,
    delta_attention,
    delta_net,
    experts,
    indexer,
    latent,
    listed_window,
    no_heads_where_recurrent,
    ssm,
    window,
    wkv,
)

Part = Keys | Callable[[Sizes], Keys]  # the same for every roll, or not


def _names(text: str) -> list[str]:
    return text.split()


_PLAIN = _names(
    "llama deci falcon gpt2 gptneox mpt baichuan starcoder refact bloom stablelm qwen qwen2 qwen2vl qwen3 qwen3vl phi2 "
    "phi3 plamo codeshell orion internlm2 minicpm gemma starcoder2 xverse command-r olmo openelm chatglm glm4 bitnet "
    "jais jais2 nemotron exaone granite arcee ernie4_5 hunyuan-dense hunyuan_vl smollm3 seed_oss cogvlm pangu-embedded "
    "mistral3 paddleocr llama-embed maincoder talkie pockettts dream llada exaone4"
)
_ENCODERS = _names("bert modern-bert nomic-bert neo-bert jina-bert-v3 eurobert")
_EXPERTS = _names(
    "grok qwen2moe qwen3moe qwen3vlmoe phimoe dbrx arctic deepseek glm4moe bailingmoe bailingmoe2 ernie4_5-moe "
    "hunyuan-moe hy_v3 llada-moe grovemoe minimax-m2 rnd1 granitemoe"
)
_WINDOWS = _names("gemma2 gemma3 cohere2 olmo2 plamo3 muse-glimmer gemma-embedding")
_EXPERTS_AND_WINDOWS = _names("llama4 cohere2moe exaone-moe afmoe laguna gpt-oss smallthinker mellum")

_OTHERS: dict[str, tuple[Part, ...]] = {
    "apertus": (special.XIELU,),
    "chameleon": (special.BIG_VOCABULARY,),
    "qwen3tts": (special.BIG_VOCABULARY,),
    "olmoe": (experts, special.all_heads),
    "dots1": (experts, special.all_heads),
    "nomic-bert-moe": (experts,),
    "gemma3n": (window, special.MANY_LAYERS),
    "gemma4": (listed_window, special.DIFFERENT_WINDOW_HEADS, special.layer_embedding),
    "granite_swa": (listed_window,),
    "mimo2": (experts, listed_window, special.DIFFERENT_VALUES),
    "step35": (experts, listed_window),
    "maple": (experts, listed_window, special.CLAMPS),
    "spark2_5": (experts, listed_window),
    "nanbeige": (special.loops,),
    "hrm_text": (special.stacks,),
    "graniteswitch": (special.ADAPTERS,),
    "mamba": (ssm,),
    "mamba2": (ssm,),
    "jamba": (ssm, no_heads_where_recurrent),
    "falcon-h1": (ssm,),
    "plamo2": (ssm, no_heads_where_recurrent, special.NO_SSM_GROUPS),
    "granitehybrid": (ssm, no_heads_where_recurrent),
    "nemotron_h": (ssm, special.nemotron_layers),
    "nemotron_h_moe": (ssm, experts, special.nemotron_layers),
    "lfm2": (special.short_convolution, no_heads_where_recurrent),
    "lfm2moe": (special.short_convolution, no_heads_where_recurrent, experts),
    "qwen3next": (delta_net, experts),
    "qwen35": (delta_net,),
    "qwen35moe": (delta_net, experts),
    "qwen4exp": (delta_net, experts, indexer, STREAMS, special.ngram_embedding),
    "minimax-01": (experts, special.linear_layers),
    "kimi-linear": (latent, special.one_head_where_attending, delta_attention, experts),
    "kimi-k3": (latent, special.one_head_where_attending, delta_attention, experts),
    "bailingmoe3": (latent, special.one_head_where_attending, delta_attention, experts),
    "glm5-next": (
        latent,
        special.one_head_where_attending,
        delta_attention,
        experts,
        indexer,
        STREAMS,
        special.UNROTATED_LATENT,
    ),
    "rwkv6": (wkv, special.NO_HEADS),
    "rwkv7": (wkv, special.NO_HEADS),
    "arwkv7": (wkv, special.ONE_SHIFT),
    "deepseek2": (latent, experts),
    "mistral4": (latent, experts),
    "minicpm3": (special.low_rank_query,),
    "plm": (special.low_rank,),
    "t5": (special.all_heads,),
    "t5encoder": (special.all_heads,),
    "jina-bert-v2": (special.all_heads,),
    "deepseek2-ocr": (experts, special.all_heads),
    "deepseek32": (latent, experts, indexer),
    "glm-dsa": (latent, experts, indexer),
    "hy_v4": (latent, experts, indexer, STREAMS, special.CLAMPS),
    "dots3note": (latent, experts, indexer, special.window_latent),
    "deepseek4": (experts, indexer, STREAMS, special.compression),
    "minimax-m3": (experts, indexer, special.indexer_of_groups),
    "wavtokenizer-dec": (special.speech,),
}

FAMILIES: dict[str, tuple[Part, ...]] = {
    **dict.fromkeys((*_PLAIN, *_ENCODERS), ()),
    **dict.fromkeys(_EXPERTS, (experts,)),
    **dict.fromkeys(_WINDOWS, (window,)),
    **dict.fromkeys(_EXPERTS_AND_WINDOWS, (window, experts)),
    **_OTHERS,
}

# What single models of an architecture do differently; the name is the entry's.
VARIANTS: dict[str, tuple[str, tuple[Part, ...]]] = {
    "llama-wide-heads": ("llama", (special.OWN_HEAD_WIDTH,)),
    "llama-experts": ("llama", (experts,)),
    "llama-different-values": ("mistral3", (special.OWN_HEAD_WIDTH,)),
    "deci-per-layer": ("deci", (special.heads_per_layer,)),
    "openelm-per-layer": ("openelm", (special.more_heads_per_layer,)),
    "deepseek2-without-latent-keys": ("deepseek2", (latent, experts, special.decompressed)),
    "exaone4-window": ("exaone4", (special.SIXTY_FOUR_LAYERS,)),
    "gemma3-without-window": ("gemma3", ()),
    "gemma3n-few-layers": ("gemma3n", (window,)),
    "gemma4-experts": (
        "gemma4",
        (experts, listed_window, special.DIFFERENT_WINDOW_HEADS, special.layer_embedding),
    ),
    "phi3-window": ("phi3", (window,)),
    "lfm2-window": ("lfm2", (special.short_convolution, no_heads_where_recurrent, special.PLAIN_WINDOW)),
    "llama4-no-window": ("llama4", (experts, special.ZERO_WINDOW)),
    "hy_v4-dense": ("hy_v4", (latent, experts, STREAMS, special.CLAMPS)),
    "glm-dsa-shared": ("glm-dsa", (latent, experts, indexer, special.LONG_CONTEXT)),
    "qwen3next-listed": ("qwen3next", (delta_net, experts, special.listed_recurrent)),
}

# The last layer predicts further tokens; without tensors, llama.cpp measures these only with load_mtp.
EXTRA_LAYERS: dict[str, tuple[str, tuple[Part, ...]]] = {
    "glm4moe-extra": ("glm4moe", (experts, special.EXTRA_LAYER)),
    "deepseek2-extra": ("deepseek2", (latent, experts, special.EXTRA_LAYER)),
    "glm-dsa-extra": ("glm-dsa", (latent, experts, indexer, special.OWN_INDEXERS, special.EXTRA_LAYER)),
    "qwen3next-extra": ("qwen3next", (delta_net, experts, special.EXTRA_LAYER)),
    "qwen35-extra": ("qwen35", (delta_net, special.EXTRA_LAYER)),
    "step35-extra": ("step35", (experts, listed_window, special.EXTRA_LAYER)),
    "nemotron_h_moe-extra": ("nemotron_h_moe", (ssm, experts, special.nemotron_layers, special.EXTRA_LAYER)),
    "cohere2moe-extra": ("cohere2moe", (experts, window, special.EXTRA_LAYER)),
}
