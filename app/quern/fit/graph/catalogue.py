"""Which blocks each architecture is built of (llama.cpp: the graph of each file in src/models)."""

from dataclasses import replace

from quern.fit.shape.architecture import names

from .block import Block, Dense, Gate, HeadNorm, Mixture, Norm, Residual, Rope, Shared, SharedWidth

_WIDE = Mixture(norms=True, is_dense_wide=True)
_LLAMA = Block(mixture=_WIDE)
_GPT = Block(norm=Norm.LAYER, is_fused=True, rope=Rope.NEVER, dense=Dense.PLAIN)
_BIASED = Mixture(is_biased=True)
_FREE = Mixture()
_HEADS = HeadNorm.EACH

_MANY: tuple[tuple[str, Block], ...] = (
    (
        "llama qwen2 qwen2vl xverse internlm2 minicpm exaone ernie4_5 seed_oss pangu-embedded mistral3 paddleocr "
        "llada dream llama-embed baichuan",
        _LLAMA,
    ),
    ("qwen3 qwen3moe qwen3vl qwen3vlmoe rnd1 mellum", Block(head_norm=_HEADS)),
    ("hunyuan-dense hunyuan_vl maincoder", Block(head_norm=HeadNorm.AFTER_ROPE)),
    ("gpt2 starcoder", replace(_GPT, embeds_positions=True)),
    ("codeshell starcoder2 pockettts nemotron jais2", Block(norm=Norm.LAYER, dense=Dense.PLAIN)),
    ("olmo orion", Block(norm=Norm.LAYER)),
    ("granite granitemoe", replace(_LLAMA, shared=Shared.ADDED, shared_width=SharedWidth.SAID)),
    ("phi3 phimoe", Block(dense=Dense.HALVED, scales_q=True, residual=Residual.SUM_FIRST, mixture=_WIDE)),
    ("chatglm", Block(dense=Dense.HALVED)),
    ("dots1 glm4moe", Block(head_norm=_HEADS, mixture=_BIASED, shared=Shared.ADDED)),
)

BLOCKS: dict[str, Block] = {
    **{name: block for many, block in _MANY for name in names(many)},
    "exaone-moe": Block(head_norm=_HEADS, mixture=_BIASED, shared=Shared.ADDED, shared_width=SharedWidth.SAID),
    "hy_v3": Block(
        head_norm=_HEADS,
        mixture=Mixture(is_biased=True, is_merged=True, is_scaled=True),
        shared=Shared.ADDED,
        shared_width=SharedWidth.SAID,
        crops_late=True,
    ),
    "qwen": Block(is_fused=True, fuses_whole_heads=True, halves_width=True),
    "refact": Block(rope=Rope.NEVER, mixture=_WIDE),
    "bloom": replace(_GPT, norms_embeddings=Norm.LAYER),
    "mpt": replace(_GPT, embeds_positions=True),
    "jais": replace(_GPT, dense=Dense.GATED),
    "falcon": replace(_GPT, rope=Rope.ALWAYS, residual=Residual.TWO_NORMS),
    "gptneox": replace(_GPT, rope=Rope.ALWAYS, residual=Residual.OWN_NORM),
    "phi2": Block(norm=Norm.LAYER, dense=Dense.PLAIN, scales_q=True, residual=Residual.ATTENTION_FIRST),
    "plamo": Block(residual=Residual.PARALLEL),
    "command-r": Block(norm=Norm.LAYER, head_norm=_HEADS, head_norm_kind=Norm.LAYER, residual=Residual.STREAM_BETWEEN),
    "cohere2": Block(norm=Norm.LAYER, rope=Rope.WINDOW, residual=Residual.STREAM_BETWEEN),
    "stablelm": Block(norm=Norm.LAYER, head_norm=_HEADS, head_norm_kind=Norm.LAYER),
    "chameleon": Block(head_norm=_HEADS, head_norm_kind=Norm.LAYER),
    "gemma": Block(scales_q=True),
    "gemma2": Block(scales_q=True, norms_after=True),
    "gemma3": Block(head_norm=_HEADS, scales_q=True, norms_after=True),
    "glm4": Block(dense=Dense.HALVED, norms_after=True),
    "arcee": Block(dense=Dense.PLAIN),
    "apertus": Block(head_norm=_HEADS, dense=Dense.PLAIN),
    "bitnet": Block(sub_norm=True),
    "smollm3": Block(rope=Rope.NOT_FOURTH),
    "olmo2": Block(head_norm=HeadNorm.WHOLE, norms_before=False, norms_after=True),
    "exaone4": Block(head_norm=_HEADS, norms_before=False, norms_after=True),
    "olmoe": Block(head_norm=HeadNorm.WHOLE, mixture=Mixture(is_dense_wide=True)),
    "minimax-m2": Block(head_norm=HeadNorm.WHOLE, mixture=Mixture(is_biased=True, norms=True, is_dense_wide=True)),
    "bailingmoe2": Block(
        is_fused=True, head_norm=_HEADS, mixture=_BIASED, shared=Shared.ADDED, shared_width=SharedWidth.SAID_EACH
    ),
    "llada-moe": Block(head_norm=_HEADS, mixture=_FREE),
    "openelm": Block(is_fused=True, head_norm=_HEADS, residual=Residual.STREAM_FIRST),
    "plamo3": Block(is_fused=True, head_norm=_HEADS, norms_after=True, dense=Dense.HALVED),
    "cogvlm": Block(is_fused=True, fuses_whole_heads=True, outputs_all=True),
    "muse-glimmer": Block(
        head_norm=_HEADS, rope=Rope.WINDOW, gate=Gate.WIDE, norms_after=True, norms_embeddings=Norm.RMS
    ),
    "dbrx": Block(norm=Norm.LAYER, is_fused=True, mixture=_WIDE),
    "grok": Block(norms_after=True, shared=Shared.DENSE),
    "qwen2moe": Block(mixture=_FREE, shared=Shared.GATED, shared_width=SharedWidth.SAID),
    "deepseek": Block(mixture=_FREE, shared=Shared.ADDED),
    "deepseek2-ocr": Block(mixture=Mixture(is_biased=True, is_merged=True), shared=Shared.ADDED),
    "bailingmoe": Block(mixture=_FREE, shared=Shared.ADDED),
    "ernie4_5-moe": Block(
        mixture=Mixture(is_biased=True, norms=True), shared=Shared.ADDED, shared_width=SharedWidth.SAID
    ),
    "hunyuan-moe": Block(
        head_norm=HeadNorm.AFTER_ROPE, mixture=_WIDE, shared=Shared.ADDED, shared_width=SharedWidth.SAID
    ),
    "afmoe": Block(
        head_norm=_HEADS, rope=Rope.NOT_FOURTH, gate=Gate.WIDE, norms_after=True, mixture=_BIASED, shared=Shared.ADDED
    ),
    "laguna": Block(
        head_norm=_HEADS, gate=Gate.HEADS, mixture=_BIASED, shared=Shared.ADDED, shared_width=SharedWidth.SAID
    ),
    "gpt-oss": Block(mixture=Mixture(softmax_late=True), crops_late=True),
    "llama4": Block(
        head_norm=HeadNorm.AFTER_ROPE,
        mixture=Mixture(judges_logits=True, weighs_first=True),
        shared=Shared.ADDED,
        shared_width=SharedWidth.ONE,
    ),
    "maple": Block(head_norm=_HEADS, rope=Rope.WINDOW),
    "spark2_5": Block(gate=Gate.HEADS, mixture=None),
    "mimo2": Block(mixture=Mixture(is_biased=True, norms=True), crops_late=True),
    "step35": Block(
        head_norm=_HEADS,
        gate=Gate.HEADS,
        mixture=_BIASED,
        shared=Shared.ADDED,
        shared_width=SharedWidth.SAID,
        crops_late=True,
    ),
    "granite_swa": Block(
        mixture=Mixture(norms=True, is_merged=True, is_dense_wide=True),
        shared=Shared.ADDED,
        shared_width=SharedWidth.SAID,
    ),
    "nanbeige": _LLAMA,
    "qwen3tts": Block(head_norm=_HEADS),
    "eurobert": replace(_LLAMA, has_logits=False),
    "gemma-embedding": Block(head_norm=_HEADS, scales_q=True, norms_after=True, has_logits=False),
    "cohere2moe": Block(
        residual=Residual.STREAM_BETWEEN,
        rope=Rope.WINDOW_OR_DENSE,
        mixture=Mixture(is_merged=True, is_scaled=True),
        shared=Shared.ADDED,
        shared_width=SharedWidth.SAID,
        crops_late=True,
    ),
}
