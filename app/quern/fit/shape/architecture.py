"""The architectures that the engine knows (llama-arch.cpp as of llama-cpp-python 0.3.36), and what kind each is."""

from quern.fit.errors import FitUnknown


def names(text: str) -> frozenset[str]:
    """Return the names in `text`, which are apart by spaces."""
    return frozenset(text.split())


# Pure recurrent models: a state per sequence, no KV cache (llama-arch.cpp, llm_arch_is_recurrent).
RECURRENT = frozenset({"mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"})

# Layers of both kinds (llama-arch.cpp, llm_arch_is_hybrid; without deepseek4, whose memory is of its own kind).
HYBRID = names(
    "jamba falcon-h1 plamo2 granitehybrid lfm2 lfm2moe nemotron_h nemotron_h_moe qwen3next kimi-linear bailingmoe3 "
    "kimi-k3 glm5-next qwen35 qwen35moe qwen4exp minimax-01"
)

# Encoders and diffusion models: no memory of earlier tokens at all (llama-model.cpp, create_memory).
MEMORYLESS = names(
    "bert jina-bert-v2 jina-bert-v3 nomic-bert nomic-bert-moe neo-bert eurobert wavtokenizer-dec modern-bert "
    "gemma-embedding dream llada llada-moe rnd1"
)

# Models with an encoder, of which a whole batch is handed back (llama-model.cpp, llama_model_has_encoder).
ENCODERS = frozenset({"t5", "t5encoder", "eagle3", "dflash"})

# Every token sees all others, whatever the header says (load_arch_hparams of each).
NOT_CAUSAL = frozenset({"dream", "gemma-embedding", "llada", "llada-moe", "rnd1"})

_PLAIN = names(
    "llama llama4 deci falcon grok gpt2 gptneox mpt baichuan starcoder refact bloom stablelm qwen qwen2 qwen2moe "
    "qwen2vl qwen3 qwen3moe qwen3vl qwen3vlmoe phi2 phi3 phimoe plamo plamo3 codeshell orion internlm2 minicpm "
    "minicpm3 gemma gemma2 gemma3 gemma3n gemma4 gemma4-assistant starcoder2 maple xverse command-r cohere2 "
    "cohere2moe dbrx olmo olmo2 olmoe muse-glimmer openelm arctic deepseek deepseek2 deepseek2-ocr deepseek32 "
    "deepseek4 chatglm glm4 glm4moe glm-dsa bitnet t5 t5encoder jais jais2 nemotron exaone exaone4 exaone-moe "
    "granite granitemoe graniteswitch granite_swa chameleon plm bailingmoe bailingmoe2 dots1 dots3note arcee afmoe "
    "laguna ernie4_5 ernie4_5-moe hunyuan-moe hunyuan-dense hunyuan_vl hy_v3 hy_v4 smollm3 gpt-oss smallthinker "
    "seed_oss grovemoe apertus hrm_text minimax-m2 minimax-m3 cogvlm pangu-embedded mistral3 eagle3 dflash mistral4 "
    "paddleocr mimo2 step35 spark2_5 llama-embed maincoder talkie mellum nanbeige qwen3tts pockettts"
)

KNOWN = _PLAIN | HYBRID | RECURRENT | MEMORYLESS


def check_architecture(name: str) -> None:
    """Raise FitUnknown where the engine does not run models of architecture `name`."""
    if name not in KNOWN:
        raise FitUnknown(f'its architecture "{name[:100]}" is not one that the engine runs')
