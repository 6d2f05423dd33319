"""Builds the graph of any architecture."""

from collections.abc import Callable

from quern.fit.shape.model_shape import ModelShape

from . import delta, encoder, gemma, hybrid, kimi, latent, minimax, msa, sparse, switch, variant, wkv
from .batch import Batch
from .block import Block, HeadNorm, Mixture, Shared
from .catalogue import BLOCKS
from .decoder import decode
from .forward import Forward, LayerSpan

_OWN: dict[str, Callable[[Forward], None]] = {
    **dict.fromkeys(("bert", "jina-bert-v2", "jina-bert-v3", "nomic-bert", "nomic-bert-moe"), encoder.bert),
    "modern-bert": encoder.modern_bert,
    "neo-bert": encoder.neo_bert,
    **dict.fromkeys(("deepseek2", "mistral4"), latent.deepseek2),
    **dict.fromkeys(("mamba", "mamba2"), hybrid.pure_mamba),
    "jamba": hybrid.jamba,
    "granitehybrid": hybrid.granite_hybrid,
    "plamo2": hybrid.plamo2,
    "falcon-h1": hybrid.falcon_h1,
    **dict.fromkeys(("nemotron_h", "nemotron_h_moe"), hybrid.nemotron_h),
    **dict.fromkeys(("lfm2", "lfm2moe"), hybrid.lfm2),
    "qwen3next": delta.qwen3next,
    **dict.fromkeys(("qwen35", "qwen35moe"), delta.qwen35),
    "bailingmoe3": kimi.bailingmoe3,
    "kimi-linear": kimi.kimi_linear,
    "rwkv6": wkv.rwkv6,
    "rwkv7": wkv.rwkv7,
    "rwkv6qwen2": wkv.rwkv6qwen2,
    "arwkv7": wkv.arwkv7,
    "gemma3n": gemma.gemma3n,
    "gemma4": gemma.gemma4,
    **dict.fromkeys(("deepseek32", "glm-dsa"), sparse.sparse),
    "minimax-01": minimax.minimax_01,
    "graniteswitch": switch.granite_switch,
    **dict.fromkeys(("kimi-k3", "glm5-next"), kimi.kimi_linear),
    "minimax-m3": msa.minimax_m3,
    **dict.fromkeys(("dots3note", "hy_v4"), sparse.sparse),
    "qwen4exp": delta.qwen35,
    "minicpm3": latent.minicpm3,
    "plm": latent.plm,
    "t5": encoder.t5_decoder,
    "t5encoder": encoder.t5_encoder,
    "hrm_text": variant.hrm_text,
    "talkie": variant.talkie,
    "arctic": variant.arctic,
    "grovemoe": variant.grovemoe,
    "smallthinker": variant.smallthinker,
    "deci": variant.deci,
    "baichuan": lambda graph: variant.baichuan(graph, BLOCKS["baichuan"]),
    "chameleon": lambda graph: variant.chameleon(graph, BLOCKS["chameleon"]),
}


# What those are taken for whose own graphs are not described here.
_LIKELY = Block(head_norm=HeadNorm.EACH, mixture=Mixture(is_biased=True, norms=True), shared=Shared.ADDED)


def build(shape: ModelShape, batch: Batch, span: LayerSpan | None = None) -> Forward:
    """Return the graph of `shape` over `batch`, or the part of it that lies in `span`."""
    graph = _built(shape, batch, span)
    graph.cut()
    if span is not None and span.has_input:
        graph.keep_inputs_of(_built(shape, batch, None))
    return graph


def _built(shape: ModelShape, batch: Batch, span: LayerSpan | None) -> Forward:
    graph = Forward(shape, batch, span)
    own = _OWN.get(shape.architecture)
    if own is not None:
        own(graph)
    else:
        decode(graph, BLOCKS.get(shape.architecture, _LIKELY))
    return graph
